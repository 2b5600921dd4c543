//! Reading and writing values, indices out of range, data that does not fit, and tensors of nothing.

use shapeproof::error::IndexError;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[track_caller]
fn panic_text<T>(body: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).err().expect("a panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast_ref::<&str>().unwrap_or(&"").to_string(),
    }
}

#[test]
fn every_element_by_its_index() {
    let x = Tensor::<1, shape![24]>::arange(0.0, 1.0).reshape::<shape![2, 3, 4]>();
    let mut place = 0.0;
    for i in 0..2 {
        for j in 0..3 {
            for k in 0..4 {
                assert_eq!(x[[i, j, k]], place);
                place += 1.0;
            }
        }
    }
    assert_eq!(Tensor::scalar(5.0f32)[[]], 5.0);
    let mut y = x.clone();
    y[[1, 2, 3]] = -1.0;
    assert_eq!((x[[1, 2, 3]], y[[1, 2, 3]]), (23.0, -1.0));
    y.as_mut_slice().reverse();
    assert_eq!(y[[0, 0, 0]], -1.0);
    assert_eq!(x.iter().sum::<f32>(), 276.0);
    let mut count = 0;
    for value in &x {
        assert_eq!(value, count as f32);
        count += 1;
    }
    assert_eq!((count, x.iter().len()), (24, 24));
}

#[test]
fn an_index_out_of_range_is_refused_by_axis() {
    let mut x = Tensor::<3, shape![2, 1, 4]>::zeros();
    for (index, text) in [
        (
            [2, 0, 0],
            "index 2 is out of range for axis 0, which has 2 entries",
        ),
        (
            [1, 1, 0],
            "index 1 is out of range for axis 1, which has 1 entry",
        ),
        (
            [1, 0, 4],
            "index 4 is out of range for axis 2, which has 4 entries",
        ),
        (
            [0, 0, usize::MAX],
            "index 18446744073709551615 is out of range for axis 2, which has 4 entries",
        ),
        // Inside the memory, but not inside its axis.
        (
            [0, 0, 5],
            "index 5 is out of range for axis 2, which has 4 entries",
        ),
    ] {
        let got = panic_text(|| x[index]);
        assert_eq!(got, text);
        let got = panic_text(|| x[index] = 1.0);
        assert_eq!(got, text);
    }
    assert_eq!(x, Tensor::zeros());
    let none = Tensor::<2, shape![0, 3]>::zeros();
    assert_eq!(
        panic_text(|| none[[0, 0]]),
        "index 0 is out of range for axis 0, which has 0 entries"
    );
    // A tensor whose index was refused is as before, graph and all.
    let mut y = Tensor::from([1.0f32]).tracked().square();
    panic_text(|| y[[1]] = 0.0);
    assert_eq!(y.to_array(), [1.0]);
}

#[test]
fn indices_from_any_whole_numbers() {
    type Labels = Indices<1, shape![3], 10>;
    let right = Labels::from_array([3, 0, 9]).unwrap();
    assert_eq!(Labels::from_slice(&[3u8, 0, 9]).unwrap(), right);
    assert_eq!(Labels::from_slice(&[3i64, 0, 9]).unwrap(), right);
    assert_eq!(Labels::from_vec(vec![3usize, 0, 9]).unwrap(), right);
    assert_eq!((right.dims(), right.as_slice()), ([3], &[3, 0, 9][..]));
    assert_eq!(right.to_array(), [3, 0, 9]);
    assert_eq!(Indices::<0, (), 10>::from_slice(&[7]).unwrap().item(), 7);

    let error = Labels::from_slice(&[3, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "2 values for shape (3), which has 3 elements"
    );
    assert!(matches!(error, IndexError::Length(_)));
    let error = Indices::<2, shape![2, 2], 10>::from_array([[0, 1], [2, 10]]).unwrap_err();
    assert_eq!(error.to_string(), "index 10 at place 3 is not in 0..10");
    // The first of several is named.
    let error = Labels::from_slice(&[-1, 11, 12]).unwrap_err();
    assert_eq!(error.to_string(), "index -1 at place 0 is not in 0..10");
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(boxed.source().is_none());
}

#[test]
fn indices_are_compared_one_by_one() {
    let labels = Indices::<2, shape![2, 2], 4>::from_array([[3, 0], [1, 2]]).unwrap();
    let others = Indices::<2, shape![2, 2], 9>::from_array([[3, 8], [0, 2]]).unwrap();
    assert_eq!(
        labels.eq(&others).to_array(),
        [[true, false], [false, true]]
    );
    assert!(labels.eq(&labels).all() && labels == labels.clone());
    let none = Indices::<1, shape![0], 4>::from_slice::<u8>(&[]).unwrap();
    assert_eq!(none.eq(&none).count(), 0);
}

#[test]
fn indices_take_another_shape() {
    let labels = Indices::<2, shape![2, 3], 9>::from_array([[3, 0, 8], [1, 2, 5]]).unwrap();
    assert_eq!(
        labels.reshape::<shape![3, 2]>().to_array(),
        [[3, 0], [8, 1], [2, 5]]
    );
    let flat: Indices<1, shape![6], 9> = labels.reshape::<shape![6]>();
    assert_eq!(flat.unsqueeze::<0>().to_array(), [[3, 0, 8, 1, 2, 5]]);
    let column: Indices<2, shape![6, 1], 9> = flat.unsqueeze::<1>();
    assert_eq!(column.as_slice(), labels.as_slice());
    let none = Indices::<1, shape![0], 4>::from_slice::<u8>(&[]).unwrap();
    assert_eq!(none.unsqueeze::<1>().dims(), [0, 1]);
}

#[test]
fn errors_that_stop_a_program_are_sentences() {
    let length = Tensor::<1, shape![2]>::from_vec(vec![1.0f32]).unwrap_err();
    let index = Indices::<1, shape![1], 4>::from_array([4]).unwrap_err();
    let range = Tensor::from([1.0f32]).select_at::<0>(1).unwrap_err();
    let errors: [Box<dyn std::error::Error>; 3] = [length.into(), index.into(), range.into()];
    for error in errors {
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}

#[test]
fn masks_combine() {
    let x = Tensor::from([[1.0f32, 5.0], [f32::NAN, 2.0]]);
    let (large, small) = (x.gt(1.5), x.lt(3.0));
    assert_eq!(
        (&large & &small).to_array(),
        [[false, false], [false, true]]
    );
    assert_eq!((&large | &small).to_array(), [[true, true], [false, true]]);
    assert_eq!((&large ^ &small).to_array(), [[true, true], [false, false]]);
    assert_eq!((!&large).to_array(), [[true, false], [true, false]]);
    assert_eq!(x.ne(1.0).to_array(), [[false, true], [true, true]]);
    assert_eq!(x.eq(f32::NAN).count(), 0);
    assert!(large.any() && !large.all() && (large.clone() | !large.clone()).all());
    let kept = large.clone();
    let _ = !large; // by value, while a clone exists
    assert_eq!(kept.count(), 2);
    let none = Tensor::<1, shape![0]>::zeros().gt(0.0);
    assert!(!none.any() && none.all() && none.count() == 0);
    assert_eq!(none.dims(), [0]);
}

#[test]
fn tensors_are_equal_if_all_values_are() {
    let x = Tensor::from([1.0f32, 2.0]);
    assert_eq!(x, x.clone().tracked());
    assert_ne!(x, Tensor::from([1.0, 2.1]));
    assert_eq!(Tensor::from([0.0f32]), Tensor::from([-0.0]));
    let nan = Tensor::from([f32::NAN]);
    assert_ne!(nan, nan.clone());
    assert_eq!(
        Tensor::<1, shape![0]>::zeros(),
        Tensor::<1, shape![0]>::ones()
    );
}

mod nothing {
    use super::*;

    type Rows = Tensor<2, shape![0, 3], f64>;
    type Columns = Tensor<2, shape![3, 0], f64>;
    type None = Tensor<1, shape![0], f64>;

    #[test]
    fn elementwise_operations_keep_the_shape() {
        fn all<const R: usize, S: Shape<R>>() {
            let x = Tensor::<R, S, f64>::ones().tracked();
            let y = Tensor::<R, S, f64>::ones();
            let results = [
                &x + &y,
                &x - 1.0,
                2.0 / &x,
                -&x,
                x.clone() * y.clone(),
                x.exp(),
                x.ln(),
                x.relu(),
                x.gelu(),
                x.softplus_beta(2.0),
                x.clamp(0.0, 1.0),
                x.powi(3),
                x.maximum(&y),
                x.pow(&y),
                x.gt(&y).select(&x, &y),
                x.detach(),
                y.clone().tracked(),
            ];
            for result in &results {
                assert_eq!((result.dims(), result.numel()), (S::SIZES, 0));
                assert_eq!(result.to_vec(), [0.0; 0]);
                assert_eq!(result.sum().item(), 0.0);
            }
            for result in results.iter().take(15) {
                result.sum().backward();
            }
            assert_eq!(x.grad().unwrap().numel(), 0);
            let mut z = y.clone();
            z += &x;
            z *= 2.0;
            assert_eq!(z.numel(), 0);
            assert!(
                x.mean().item().is_nan() && x.mse(&y).item().is_nan() && x.mae(&y).item().is_nan()
            );
            (x.mean() + x.mse(&y) + x.mae(&y)).backward();
            assert_eq!(x.cast::<f32>().numel(), 0);
            assert_eq!(x, y);
            assert!(x.le(&y).all() && !x.le(0.0).any());
        }
        all::<1, shape![0]>();
        all::<2, shape![0, 3]>();
        all::<2, shape![3, 0]>();
        all::<3, shape![2, 0, 4]>();
        all::<3, shape![1, 0, 1]>();
        all::<2, shape![0, 0]>();
    }

    #[test]
    fn stretched_to_nothing() {
        let scalar = Tensor::<0, (), f64>::ones().tracked();
        let row = Tensor::<1, shape![3], f64>::ones().tracked();
        let column = Tensor::<2, shape![3, 1], f64>::ones().tracked();
        assert_eq!(scalar.broadcast_to::<shape![0]>().dims(), [0]);
        assert_eq!(scalar.broadcast_to::<shape![2, 0, 3]>().dims(), [2, 0, 3]);
        assert_eq!(row.broadcast_to::<shape![0, 3]>().dims(), [0, 3]);
        assert_eq!(
            row.unsqueeze::<0>().broadcast_to::<shape![0, 3]>().dims(),
            [0, 3]
        );
        assert_eq!(column.broadcast_to::<shape![3, 0]>().dims(), [3, 0]);
        assert_eq!(column.broadcast_to::<shape![5, 3, 0]>().dims(), [5, 3, 0]);
        assert_eq!(None::ones().broadcast_to::<shape![4, 0]>().dims(), [4, 0]);
        let sums = [
            scalar.broadcast_to::<shape![2, 0, 3]>().sum(),
            row.broadcast_to::<shape![0, 3]>().sum(),
            column.broadcast_to::<shape![5, 3, 0]>().sum(),
            (&column * &None::ones()).sum(),
            (&Rows::ones() + &row + &scalar).sum(),
        ];
        for sum in sums {
            assert_eq!(sum.item(), 0.0);
            sum.backward();
        }
        assert_eq!(scalar.grad().unwrap().item(), 0.0);
        assert_eq!(row.grad().unwrap().to_array(), [0.0; 3]);
        assert_eq!(column.grad().unwrap().to_array(), [[0.0]; 3]);
        let mask = Mask::<2, shape![3, 1]>::from_array([[true]; 3]).broadcast_to::<shape![3, 0]>();
        assert_eq!(mask.select(&column, &scalar).dims(), [3, 0]);
        assert_eq!(mask.select(&None::ones(), &scalar).sum().item(), 0.0);
    }

    #[test]
    fn reductions_over_and_beside_an_empty_axis() {
        let (rows, columns) = (Rows::ones().tracked(), Columns::ones().tracked());
        assert_eq!(rows.sum_axis::<0>().to_array(), [0.0; 3]);
        assert_eq!(columns.sum_keepdim::<1>().to_array(), [[0.0]; 3]);
        assert_eq!(rows.sum_axis::<1>().dims(), [0]);
        assert_eq!(rows.max_keepdim::<1>().dims(), [0, 1]);
        assert_eq!(columns.min_axis::<0>().dims(), [0]);
        assert_eq!(columns.argmin_keepdim::<0>().dims(), [1, 0]);
        assert!(columns.mean_axis::<1>().iter().all(f64::is_nan));
        assert!(columns.var_axis::<1>(1).iter().all(f64::is_nan));
        assert_eq!(columns.var_axis::<0>(1).dims(), [0]);
        assert!(rows.std_axis::<0>(0).iter().all(f64::is_nan));
        assert_eq!(
            columns.logsumexp_axis::<1>().to_array(),
            [f64::NEG_INFINITY; 3]
        );
        assert_eq!(columns.logsumexp_axis::<0>().dims(), [0]);
        for y in [
            rows.softmax::<0>(),
            rows.softmax::<1>(),
            rows.log_softmax::<0>(),
            rows.log_softmax::<1>(),
        ] {
            assert_eq!(y.dims(), [0, 3]);
            y.sum().backward();
        }
        (columns.std_axis::<1>(1).sum()
            + columns.mean_axis::<1>().sum()
            + columns.logsumexp_axis::<1>().sum())
        .backward();
        (rows.max_axis::<1>().sum() + rows.var(1) + rows.logsumexp()).backward();
        assert_eq!(columns.grad().unwrap().dims(), [3, 0]);
        assert_eq!(rows.grad().unwrap().dims(), [0, 3]);
    }

    #[test]
    fn rearrangements() {
        let rows = Rows::ones().tracked();
        let results: [Columns; 2] = [rows.t(), rows.permute::<1, 0>()];
        for y in results {
            assert_eq!(y.dims(), [3, 0]);
            y.sum().backward();
        }
        assert_eq!(rows.reshape::<shape![7, 0, 2]>().dims(), [7, 0, 2]);
        let flat: None = rows.flatten();
        assert_eq!(flat.dims(), [0]);
        assert_eq!(rows.unsqueeze::<2>().squeeze::<2>().dims(), [0, 3]);
        assert_eq!(
            Tensor::<3, shape![2, 0, 3]>::ones()
                .permute::<2, 0, 1>()
                .dims(),
            [3, 2, 0]
        );
        assert_eq!(
            Tensor::<3, shape![2, 0, 3]>::ones()
                .transpose::<0, 2>()
                .dims(),
            [3, 0, 2]
        );
        assert_eq!(rows.to_array(), [[0.0; 3]; 0]);
        assert_eq!(Columns::ones().to_array(), [[0.0; 0]; 3]);
    }

    #[test]
    fn products_and_lookups() {
        let (rows, columns) = (Rows::ones().tracked(), Columns::ones().tracked());
        let inner = columns.matmul(&rows);
        assert_eq!(inner.to_array(), [[0.0; 3]; 3]);
        inner.sum().backward();
        assert_eq!(rows.matmul(&columns).dims(), [0, 0]);
        assert_eq!(
            rows.matmul(&Tensor::<1, shape![3], f64>::ones()).dims(),
            [0]
        );
        assert_eq!(None::ones().matmul(&rows).to_array(), [0.0; 3]);
        assert_eq!(rows.matmul_t(&rows).dims(), [0, 0]);
        let batch = Tensor::<3, shape![0, 2, 3], f64>::ones();
        assert_eq!(
            batch.matmul(&Tensor::<2, shape![3, 4], f64>::ones()).dims(),
            [0, 2, 4]
        );

        let nobody = Indices::<1, shape![0], 3>::from_slice::<usize>(&[]).unwrap();
        let table = Tensor::<2, shape![3, 2], f64>::ones().tracked();
        let picked = table.embedding(&nobody);
        assert_eq!(picked.dims(), [0, 2]);
        picked.sum().backward();
        assert_eq!(table.grad().unwrap().to_array(), [[0.0; 2]; 3]);
        let thin = Columns::ones().tracked();
        let picked = thin.embedding(&Indices::<1, shape![2], 3>::from_array([0, 2]).unwrap());
        assert_eq!(picked.dims(), [2, 0]);
        picked.sum().backward();
        assert_eq!(nobody.one_hot::<f32>().dims(), [0, 3]);
        let none = Indices::<2, shape![0, 2], 3>::from_array::<usize>([]).unwrap();
        let picked = rows.gather::<1>(&none);
        assert_eq!(picked.dims(), [0, 2]);
        picked.sum().backward();
        let loss = rows.cross_entropy(&nobody);
        assert!(loss.item().is_nan());
        loss.backward();
        assert_eq!(rows.grad().unwrap().dims(), [0, 3]);
    }
}
