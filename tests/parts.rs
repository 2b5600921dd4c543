//! Parts of tensors: what they share, where they may start, and that many of them cost no more than the whole.

use shapeproof::prelude::*;
use shapeproof::shape::Slide;

#[test]
fn a_part_along_the_first_axis_shares_the_memory_until_one_is_written_to() {
    let mut x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let part = x.narrow::<0, 1, 2>();
    let row = x.select_at::<0>(2).unwrap();
    let [first, ..] = x.chunk::<0, 3>();
    assert_eq!(part.as_slice().as_ptr(), &raw const x.as_slice()[2]);
    assert_eq!(row.as_slice().as_ptr(), &raw const x.as_slice()[4]);
    assert_eq!(first.as_slice().as_ptr(), x.as_slice().as_ptr());
    x.as_mut_slice().fill(0.0);
    assert_eq!(part.to_array(), [[3.0, 4.0], [5.0, 6.0]]);
    assert_eq!((&part * &part).to_array(), [[9.0, 16.0], [25.0, 36.0]]);
    // A part that was given away and that nobody else holds is overwritten, and nothing beside it.
    drop((row, first));
    assert_eq!((part + 1.0).to_array(), [[4.0, 5.0], [6.0, 7.0]]);
}

#[test]
fn a_part_along_another_axis_is_a_copy() {
    let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    assert_eq!(x.narrow::<1, 1, 1>().to_array(), [[2.0], [4.0]]);
    // All axes before it have size 1.
    let x = Tensor::from([[[1.0f32, 2.0], [3.0, 4.0]]]);
    let part = x.narrow::<1, 1, 1>();
    assert_eq!(part.as_slice().as_ptr(), &raw const x.as_slice()[2]);
}

#[test]
fn places_known_at_run_time_are_checked() {
    let x = Tensor::from([0.0f64, 1.0, 2.0, 3.0, 4.0]);
    for start in 0..=3 {
        let part = x.narrow_at::<0, 2>(start).unwrap();
        assert_eq!(part.to_array(), [start as f64, start as f64 + 1.0]);
        assert_eq!(x.select_at::<0>(start).unwrap().item(), start as f64);
    }
    for start in [4, 5, 6, usize::MAX - 1, usize::MAX] {
        let error = x.narrow_at::<0, 2>(start).unwrap_err();
        assert_eq!(
            (error.axis(), error.start(), error.len(), error.size()),
            (0, start, 2, 5)
        );
    }
    assert!(x.narrow_at::<0, 0>(5).is_ok() && x.narrow_at::<0, 0>(6).is_err());
    assert!(x.select_at::<0>(5).is_err() && x.select_at::<0>(usize::MAX).is_err());
    let error = x.unsqueeze::<0>().narrow_at::<1, 2>(9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "axis 1, of size 5, does not hold 2 entries from 9 on"
    );
}

/// With a gradient of the whole for each part this would take a million times as long.
#[test]
fn backward_of_many_parts_is_linear() {
    const N: usize = 20_000;
    let x = Tensor::<2, shape![N, 50]>::ones().tracked();
    let mut sum = Tensor::scalar(0.0f32);
    for i in 0..N {
        sum += x.select_at::<0>(i).unwrap().sum() * (i % 7) as f32;
    }
    sum.backward();
    let grad = x.grad().unwrap();
    for (i, row) in grad.as_slice().chunks(50).enumerate() {
        assert!(row.iter().all(|&g| g == (i % 7) as f32), "row {i}");
    }
}

#[test]
fn thousands_of_results_are_stacked() {
    const N: usize = 5_000;
    let x = Param::<1, shape![3]>::ones();
    let parts: [Tensor<0, shape![]>; N] = std::array::from_fn(|i| (&x * i as f32).sum());
    let mean = parts.stack::<0>().mean();
    mean.backward();
    let expected = (N - 1) as f32 / 2.0;
    assert!((mean.item() / (3.0 * expected) - 1.0).abs() < 1e-6);
    for g in x.grad().unwrap().to_array() {
        assert!((g / expected - 1.0).abs() < 1e-5, "{g}");
    }
}

#[test]
fn cuts_undo_joins_and_joins_undo_cuts() {
    let x = Tensor::<3, shape![4, 6, 5]>::randn(&mut Rng::seed(1));
    let (a, b, c) = x.split::<1, shape![3, 2, (Dim<1>)]>();
    assert_eq!((a, b, c).concat::<1>(), x);
    assert_eq!(x.chunk::<1, 3>().concat::<1>(), x);
    assert_eq!(x.chunk_as::<2, 5, 1>().concat_as::<2, 5>(), x);
    let rows: [_; 4] = std::array::from_fn(|i| x.select_at::<0>(i).unwrap());
    assert_eq!(rows.stack::<0>(), x);
    assert_eq!(x.pad::<1, 2, 1>(f32::NAN).narrow::<1, 2, 6>(), x);
    assert_eq!(x.flip::<2>().flip::<2>(), x);
    for shift in [-11, -6, -1, 0, 1, 5, 6, 13, isize::MIN, isize::MAX] {
        let back = 6 - shift % 6;
        let moved = x.roll::<1>(shift);
        assert_eq!(moved.roll::<1>(back), x, "{shift}");
    }
    assert_eq!(x.tile::<1, 2>().narrow::<1, 6, 6>(), x);
    assert_eq!(x.tril(0) + x.triu(1), x);
    // One window, behind the axes that came after the one it was taken from.
    let window = x.unfold::<1, 6, 1>().squeeze::<1>();
    assert_eq!(window.transpose::<1, 2>(), x);
}

#[test]
fn sizes_are_computed_in_types_up_to_2047() {
    macro_rules! check {
        ($($n:literal = $a:literal + $b:literal)*) => {$({
            let x = Tensor::<1, shape![$n]>::arange(0.0, 1.0);
            let (head, tail) = (x.narrow::<0, 0, $a>(), x.narrow::<0, $a, $b>());
            assert_eq!((head[[$a - 1]], tail[[0]]), ($a as f32 - 1.0, $a as f32));
            let whole: Tensor<1, shape![$n]> = (&head, &tail).concat::<0>();
            assert_eq!(whole, x);
            assert_eq!(x.split::<0, shape![$a, $b]>().1, tail);
            assert_eq!(x.select::<0, { $n - 1 }>().item(), $n as f32 - 1.0);
            let padded: Tensor<1, shape![$n]> = tail.pad::<0, $a, 0>(0.0);
            assert_eq!(padded.sum(), tail.sum());
            let padded: Tensor<1, shape![$n]> = head.pad_replicate::<0, 0, $b>();
            assert_eq!(padded[[$n - 1]], $a as f32 - 1.0);
            let windows: Tensor<2, shape![{ $b + 1 }, $a]> = x.unfold::<0, $a, 1>();
            assert_eq!(windows[[$b, $a - 1]], $n as f32 - 1.0);
            let image = x.reshape::<shape![1, 1, $n]>();
            let taps = Tensor::<3, shape![1, 1, 3]>::ones();
            let sums: Tensor<3, shape![1, 1, $n]> = image.conv1d(&taps, Slide::<1, 1>);
            assert_eq!(sums[[0, 0, 1]], 3.0);
            let matrix = Tensor::<2, shape![$n, $n]>::eye();
            let diagonal: Tensor<1, shape![$n]> = matrix.diagonal();
            assert_eq!(diagonal.sum().item(), $n as f32);
            let beside: Tensor<1, shape![$b]> = matrix.diagonal_above::<$a>();
            assert_eq!(beside.sum().item(), 0.0);
        })*};
    }
    check! { 1025 = 1 + 1024 1025 = 1024 + 1 1500 = 1100 + 400 2047 = 1025 + 1022 2047 = 2046 + 1 }
    let halves: Tensor<1, shape![1023]> = Tensor::<1, shape![2046]>::zeros().glu::<0>();
    assert_eq!(halves.sum().item(), 0.0);
}
