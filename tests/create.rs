//! Making tensors: constants, ranges, arrays, conversions, random numbers.

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
fn constants_of_every_rank() {
    assert_eq!(Tensor::<0, ()>::full(2.0).item(), 2.0);
    assert_eq!(
        Tensor::<2, shape![2, 1], f64>::full(-1.5).to_array(),
        [[-1.5], [-1.5]]
    );
    assert_eq!(
        Tensor::<3, shape![1, 2, 2]>::ones().to_array(),
        [[[1.0; 2]; 2]]
    );
    assert_eq!(Tensor::<6, shape![1, 2, 1, 2, 1, 2]>::zeros().numel(), 8);
    assert_eq!(Tensor::<1, shape![3]>::default(), Tensor::zeros());
    assert_eq!(Tensor::<2, shape![0, 5]>::ones().dims(), [0, 5]);
    // Memory that held something else before.
    for value in [f32::NAN, 1.0, -0.0] {
        let x = Tensor::<1, shape![77]>::full(value);
        assert!(x.iter().all(|x| x.to_bits() == value.to_bits()));
    }
    assert!(!Tensor::<1, shape![3]>::ones().is_tracked());
}

#[test]
fn from_arrays_of_every_rank() {
    let a: Tensor<0, (), f64> = 2.5.into();
    assert_eq!(a.item(), 2.5);
    let b: Tensor<1, shape![3]> = Tensor::from([1.0, 2.0, 3.0]);
    let c: Tensor<2, shape![2, 3], f64> = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let d: Tensor<3, shape![2, 2, 2]> =
        Tensor::from([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]);
    let e: Tensor<4, shape![2, 2, 2, 2]> = Tensor::from([d.to_array(), d.to_array()]);
    let f: Tensor<5, shape![2, 2, 2, 2, 2]> = Tensor::from([e.to_array(), e.to_array()]);
    let g: Tensor<6, shape![2, 2, 2, 2, 2, 2]> = Tensor::from([f.to_array(), f.to_array()]);
    assert_eq!((b[[2]], c[[1, 0]], d[[1, 0, 1]]), (3.0, 4.0, 6.0));
    assert_eq!(c.to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        (e[[1, 0, 1, 1]], f[[0, 1, 1, 0, 0]], g[[1, 1, 0, 1, 0, 1]]),
        (4.0, 5.0, 6.0)
    );
    assert_eq!(g.numel(), 64);
    // An inferred axis of one is a `Dim<1>`; one that is written `1` stretches.
    let fixed: Tensor<2, (Dim<1>, Dim<2>)> = Tensor::from([[1.0, 2.0]]);
    let row = Tensor::<2, shape![1, 2]>::from_array([[1.0, 2.0]]);
    assert_eq!(fixed.stretch::<0>(), row);
    assert_eq!(
        (row + Tensor::<2, shape![3, 2]>::ones()).to_array(),
        [[2.0, 3.0]; 3]
    );
    let none: Tensor<2, shape![0, 2]> = Tensor::from([[0.0; 2]; 0]);
    assert_eq!(none.numel(), 0);
    let back: [[f64; 3]; 2] = c.to_array();
    assert_eq!(Tensor::from(back), c);
}

#[test]
fn ranges() {
    assert_eq!(
        Tensor::<1, shape![5], f64>::arange(3.0, -0.5).to_array(),
        [3.0, 2.5, 2.0, 1.5, 1.0]
    );
    assert_eq!(Tensor::<1, shape![1]>::arange(7.0, 100.0).to_array(), [7.0]);
    assert_eq!(Tensor::<1, shape![0]>::arange(7.0, 1.0).numel(), 0);
    // Each number is computed from its place, so that errors do not add up.
    let x = Tensor::<1, shape![10_001]>::arange(0.0, 0.1);
    assert_eq!(x[[10_000]], 10_000.0 * 0.1f32);

    assert_eq!(
        Tensor::<1, shape![5], f64>::linspace(-1.0, 1.0).to_array(),
        [-1.0, -0.5, 0.0, 0.5, 1.0]
    );
    assert_eq!(
        Tensor::<1, shape![3]>::linspace(2.0, 0.0).to_array(),
        [2.0, 1.0, 0.0]
    );
    assert_eq!(Tensor::<1, shape![1]>::linspace(5.0, 9.0).to_array(), [5.0]);
    assert_eq!(Tensor::<1, (Dim<1>,)>::linspace(5.0, 9.0).to_array(), [5.0]);
    assert_eq!(Tensor::<1, shape![0]>::linspace(5.0, 9.0).numel(), 0);
    assert_eq!(
        Tensor::<1, shape![2]>::linspace(0.1, 0.7).to_array(),
        [0.1, 0.7]
    );
    // Both ends are exact, and the numbers go one way.
    assert_eq!(
        Tensor::<1, shape![3]>::linspace(f32::MIN, f32::MAX).to_array(),
        [f32::MIN, 0.0, f32::MAX]
    );
    let x = Tensor::<1, shape![1000]>::linspace(0.1, 0.7);
    assert_eq!((x[[0]], x[[999]]), (0.1, 0.7));
    assert!(x.as_slice().windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn the_identity_matrix() {
    assert_eq!(
        Tensor::<2, shape![3, 3], f64>::eye().to_array(),
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    );
    assert_eq!(Tensor::<2, shape![1, 1]>::eye().to_array(), [[1.0]]);
    assert_eq!(Tensor::<2, shape![0, 0]>::eye().numel(), 0);
    let x = Tensor::<2, shape![4, 4], f64>::randn(&mut Rng::seed(0));
    assert_eq!(x.matmul(&Tensor::<2, shape![4, 4], f64>::eye()), x);
}

#[test]
fn from_slices_of_the_right_length_only() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let x = Tensor::<2, shape![2, 3]>::from_slice(&values).unwrap();
    assert_eq!(x.to_array(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_eq!(
        Tensor::<2, shape![3, 2]>::from_vec(values.to_vec()).unwrap()[[2, 0]],
        5.0
    );
    assert_eq!(Tensor::<0, ()>::from_slice(&[7.0]).unwrap().item(), 7.0);
    assert!(Tensor::<1, shape![0]>::from_slice(&[]).is_ok());
    for (found, text) in [
        (0, "0 values for shape (2, 3), which has 6 elements"),
        (1, "1 value for shape (2, 3), which has 6 elements"),
        (7, "7 values for shape (2, 3), which has 6 elements"),
    ] {
        let error = Tensor::<2, shape![2, 3]>::from_vec(vec![0.0; found]).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!((error.found(), error.expected()), (found, 6));
    }
    let error = Tensor::<0, ()>::from_slice(&[1.0, 2.0]).unwrap_err();
    assert_eq!(error.found(), 2);
    assert_eq!(
        error.to_string(),
        "2 values for shape (), which has 1 element"
    );
}

#[test]
fn casts_between_element_types() {
    let x = Tensor::from([0.1f64, -0.0, f64::NAN, f64::INFINITY, 1e300, 1e-300]);
    let y: Tensor<1, shape![6]> = x.cast();
    assert_eq!(y[[0]], 0.1f32);
    assert!(y[[1]] == 0.0 && y[[1]].is_sign_negative());
    assert!(y[[2]].is_nan());
    assert_eq!(
        (y[[3]], y[[4]], y[[5]]),
        (f32::INFINITY, f32::INFINITY, 0.0)
    );
    assert_eq!(y.cast::<f64>()[[0]], f64::from(0.1f32));
    assert_eq!(x.cast::<f64>().to_vec()[..2], [0.1, 0.0]);
    // What was tracked is not, in another type.
    assert!(!x.tracked().cast::<f32>().is_tracked());
}

mod random {
    use super::*;

    const N: usize = 20_000;
    type Many = Tensor<1, shape![N], f64>;

    /// Within five standard errors.
    #[track_caller]
    fn has_moments(x: &Many, mean: f64, std: f64) {
        let n = N as f64;
        assert!((x.mean().item() - mean).abs() < 5.0 * std / n.sqrt());
        assert!((x.std(1).item() / std - 1.0).abs() < 5.0 / n.sqrt());
    }

    #[test]
    fn uniform_numbers_fill_their_range() {
        let x = Many::rand(&mut Rng::seed(0));
        has_moments(&x, 0.5, (1f64 / 12.0).sqrt());
        assert!(x.min().item() >= 0.0 && x.max().item() < 1.0);
        let x = Many::uniform(-3.0, 5.0, &mut Rng::seed(1));
        has_moments(&x, 1.0, 8.0 / 12f64.sqrt());
        assert!(x.min().item() >= -3.0 && x.max().item() < 5.0);
        // As many in each tenth.
        for tenth in 0..10 {
            let low = -3.0 + 0.8 * f64::from(tenth);
            let count = (x.ge(low) & x.lt(low + 0.8)).count();
            assert!(count.abs_diff(N / 10) < 250, "{count} in tenth {tenth}");
        }
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let x = Many::randn(&mut Rng::seed(2));
        has_moments(&x, 0.0, 1.0);
        assert!(x.powi(3).mean().item().abs() < 0.1);
        assert!((x.powi(4).mean().item() - 3.0).abs() < 0.3);
        let beyond = |limit: f64| x.abs().gt(limit).count() as f64 / N as f64;
        assert!((beyond(1.0) - 0.3173).abs() < 0.02);
        assert!((beyond(2.0) - 0.0455).abs() < 0.008);
        has_moments(&Many::normal(10.0, 0.1, &mut Rng::seed(3)), 10.0, 0.1);
        assert_eq!(Many::normal(3.0, 0.0, &mut Rng::seed(3)), Many::full(3.0));
        // Neighbours have nothing to do with each other.
        let pairs = x.reshape::<shape![{ N / 2 }, 2]>().t();
        let rows = pairs.as_slice().split_at(N / 2);
        let covariance: f64 =
            rows.0.iter().zip(rows.1).map(|(a, b)| a * b).sum::<f64>() / (N as f64 / 2.0);
        assert!(covariance.abs() < 0.05);
    }

    #[test]
    fn a_seed_determines_everything() {
        type Row = Tensor<1, shape![9]>;
        let draw = |seed: u64| {
            let rng = &mut Rng::seed(seed);
            [
                Row::rand(rng),
                Row::randn(rng),
                Row::uniform(1.0, 2.0, rng),
                Row::normal(0.0, 2.0, rng),
            ]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let mut rng = Rng::seed(7);
        let mut copy = rng.clone();
        assert_eq!(Row::randn(&mut rng), Row::randn(&mut copy));
        assert_eq!(rng, copy);
        assert_ne!(Row::randn(&mut rng), Row::randn(&mut rng));
        // Nothing is drawn for nothing.
        let before = rng.clone();
        Tensor::<1, shape![0]>::randn(&mut rng);
        assert_eq!(rng, before);
    }

    /// The numbers themselves, so that they stay the same on every platform and in every version. Another implementation
    /// of xoshiro256++, SplitMix64 and Box–Muller, with other logarithms and sines, has the same to fifteen digits.
    #[test]
    fn the_numbers_of_seed_zero() {
        type Three = Tensor<1, shape![3], f64>;
        let rng = &mut Rng::seed(0);
        assert_eq!(
            Three::rand(rng).to_array(),
            [0.3245752680314067, 0.38223929651167343, 0.3596172076473553]
        );
        let normal = Three::randn(rng).to_array();
        assert_eq!(
            normal,
            [
                -0.1517330258712715,
                0.004510687155025967,
                0.12720990507442934
            ]
        );
        let other = [
            -0.1517330258712715,
            0.0045106871550259975,
            0.12720990507442925,
        ];
        for (x, other) in normal.into_iter().zip(other) {
            assert!((x - other).abs() < 2e-16, "{x} {other}");
        }
    }

    #[test]
    fn ranges_that_do_not_exist_are_refused() {
        type Row = Tensor<1, shape![2], f64>;
        let rng = &mut Rng::seed(0);
        for (low, high) in [
            (1.0, 1.0),
            (2.0, 1.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (-1e308, 1e308),
        ] {
            let text = panic_text(|| Row::uniform(low, high, rng));
            assert_eq!(
                text,
                format!("uniform: no finite range from {low} to {high}")
            );
        }
        for std in [-1.0, f64::NAN] {
            let text = panic_text(|| Row::normal(0.0, std, rng));
            assert_eq!(text, format!("normal: a standard deviation of {std}"));
        }
    }
}
