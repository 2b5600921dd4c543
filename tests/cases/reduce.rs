//! Sums that lose nothing, and reductions of nothing.

use super::check::{Number, exactly, grad, near, near_within, of};
use shapeproof::prelude::*;

// tensorflow/tensorflow#6039, pytorch/pytorch#19164
#[test]
fn a_long_sum_of_equal_numbers() {
    fn body<const N: usize, const HALF: usize>(value: f32, sum: f64) {
        let x = Tensor::<1, shape![N]>::full(value);
        near_within([x.sum().item()], [sum], 1e-6);
        near_within([x.mean().item()], [f64::from(value)], 1e-6);
        // Along the first, the last and the middle axis.
        let columns = Tensor::<2, shape![N, 2]>::full(value);
        near_within(&columns.sum_axis::<0>(), [sum; 2], 1e-6);
        near_within(&columns.mean_keepdim::<0>(), [f64::from(value); 2], 1e-6);
        let rows = Tensor::<2, shape![2, N]>::full(value);
        near_within(&rows.sum_keepdim::<1>(), [sum; 2], 1e-6);
        let middle = Tensor::<3, shape![2, HALF, 3]>::full(value);
        near_within(&middle.sum_axis::<1>(), [sum / 2.0; 6], 1e-6);
        near_within(&middle.mean_axis::<1>(), [f64::from(value); 6], 1e-6);
        // And the sums that backward forms for what was stretched.
        let number = Tensor::<0, ()>::ones().tracked();
        let row = Tensor::<1, shape![2]>::ones().tracked();
        (&columns * &number).sum().backward();
        (&columns * &row).sum().backward();
        near_within(&grad(&number), [2.0 * sum], 1e-6);
        near_within(&grad(&row), [sum; 2], 1e-6);
    }
    body::<62_500, 31_250>(1.23456, 62_500.0 * f64::from(1.23456f32));
    near_within([62_500.0 * f64::from(1.23456f32)], [77160.0008], 1e-9);
    let sum = Tensor::<1, shape![1_392_640]>::full(0.1f32).sum().item();
    near_within([sum], [139264.0021], 1e-6);
    let mean = Tensor::<1, shape![1_392_640]>::full(0.1f32).mean().item();
    near_within([mean], [0.1], 1e-6);
}

// numpy/numpy#22956
#[test]
fn ones_are_not_lost_beside_a_large_number() {
    const LARGE: f32 = 16_777_216.0;
    let mut line = Tensor::<1, shape![1001]>::ones();
    line[[0]] = LARGE;
    let good = |sum: f32| (sum - 16_778_216.0).abs() <= 2.0;
    assert!(good(line.sum().item()));
    let columns = line.unsqueeze::<1>().broadcast_to::<shape![1001, 5]>();
    assert!(columns.sum_axis::<0>().iter().all(good));
    assert!(columns.t().sum_axis::<1>().iter().all(good));
    let middle = columns
        .unsqueeze::<0>()
        .broadcast_to::<shape![3, 1001, 5]>();
    assert!(middle.sum_axis::<1>().iter().all(good));
    // The large number elsewhere.
    let mut line = Tensor::<1, shape![1001]>::ones();
    line[[500]] = LARGE;
    assert!(good(line.sum().item()));

    let tall = Tensor::<2, shape![{ (1 << 24) + (1 << 20) }, 2]>::ones();
    near_within(&tall.mean_axis::<0>(), [1.0, 1.0], 1e-6);
}

both! {
    // data-apis/array-api#262, pytorch/pytorch#34907, tensorflow/tensorflow#3510
    fn reductions_of_nothing<E>() {
        let x = Tensor::<1, shape![0], E>::zeros().tracked();
        let sum = x.sum();
        exactly(&sum, [0.0]);
        exactly(&x.prod(), [1.0]);
        near(&x.mean(), [f64::NAN]);
        exactly(&x.logsumexp(), [f64::NEG_INFINITY]);
        near(&x.var(0), [f64::NAN]);
        near(&x.std(1), [f64::NAN]);
        for reduction in [sum, x.mean(), x.logsumexp(), x.var(0), x.std(1)] {
            reduction.backward();
        }
        assert_eq!(grad(&x).dims(), [0]);

        let x = Tensor::<2, shape![0, 4], E>::zeros().tracked();
        let max: Tensor<1, shape![0], E> = x.max_axis::<1>();
        assert_eq!(max.dims(), [0]);
        assert_eq!(x.min_keepdim::<1>().dims(), [0, 1]);
        assert_eq!(x.argmax_axis::<1>().dims(), [0]);
        exactly(&x.sum_axis::<0>(), [0.0; 4]);
        near(&x.mean_axis::<0>(), [f64::NAN; 4]);
        exactly(&x.logsumexp_axis::<0>(), [f64::NEG_INFINITY; 4]);
        assert_eq!(x.sum_axis::<1>().dims(), [0]);
        (max.sum() + x.sum_axis::<0>().sum() + x.logsumexp_axis::<1>().sum()).backward();
        assert_eq!(grad(&x).dims(), [0, 4]);
    }
}

/// Whole numbers, so that every order of summing gives the same.
#[test]
fn every_length_is_summed_along_every_axis() {
    fn body<const N: usize, E: Number>() {
        let x: Tensor<3, shape![2, N, 3], E> = super::check::by_place(|i| i as f64);
        let at = |a: usize, n: usize, b: usize| (a * N * 3 + n * 3 + b) as f64;
        let first = (0..N * 3).map(|i| at(0, i / 3, i % 3) + at(1, i / 3, i % 3));
        exactly(&x.sum_axis::<0>(), first.collect::<Vec<_>>());
        let middle = (0..6).map(|i| (0..N).map(|n| at(i / 3, n, i % 3)).sum());
        exactly(&x.sum_axis::<1>(), middle.collect::<Vec<_>>());
        let last = (0..2 * N).map(|i| (0..3).map(|b| at(i / N, i % N, b)).sum());
        exactly(&x.sum_axis::<2>(), last.collect::<Vec<_>>());
        let n = (6 * N) as f64;
        exactly(&x.sum(), [n * (n - 1.0) / 2.0]);
        near(&x.mean(), [(n - 1.0) / 2.0]);
        let row: Tensor<1, shape![N], E> = of(&vec![2.0; N]);
        exactly(&row.sum(), [2.0 * N as f64]);
    }
    every_length!(body);
}
