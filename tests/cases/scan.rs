//! Products with factors of zero, and running sums that lose nothing.

use super::check::{Number, by_place, exactly, grad, near_within, of};
use shapeproof::prelude::*;

/// The gradient of a function of some numbers.
fn slopes<const N: usize, E: Number>(
    x: [f64; N],
    f: impl FnOnce(&Tensor<1, shape![N], E>) -> Tensor<0, (), E>,
) -> Tensor<1, shape![N], E> {
    let x: Tensor<1, shape![N], E> = of(&x);
    let x = x.tracked();
    f(&x).backward();
    grad(&x)
}

both! {
    // tinygrad/tinygrad#17404, tracel-ai/burn#5533
    fn products_with_factors_of_zero<E>() {
        exactly(&slopes::<3, E>([0.0, 2.0, 3.0], |x| x.prod()), [6.0, 0.0, 0.0]);
        exactly(&slopes::<3, E>([0.0, 0.0, 3.0], |x| x.prod()), [0.0; 3]);
        exactly(&slopes::<4, E>([2.0, 0.0, 3.0, 4.0], |x| x.prod()), [0.0, 24.0, 0.0, 0.0]);
        exactly(&slopes::<3, E>([5.0, 1.0, 2.0], |x| x.prod()), [2.0, 10.0, 5.0]);
        let x: Tensor<2, shape![2, 2], E> = of(&[2.0, 0.0, 3.0, 4.0]);
        let x = x.tracked();
        let y = x.prod_axis::<1>();
        exactly(&y, [0.0, 12.0]);
        y.sum().backward();
        exactly(&grad(&x), [0.0, 2.0, 4.0, 3.0]);
        x.zero_grad();
        let y = x.t().prod_keepdim::<0>();
        exactly(&y, [0.0, 12.0]);
        y.sum().backward();
        exactly(&grad(&x), [0.0, 2.0, 4.0, 3.0]);
    }

    // tracel-ai/burn#5141, #3864, tensorflow/tensorflow#3862
    fn running_products_with_factors_of_zero<E>() {
        let weighted = |x: [f64; 3], up: [f64; 3]| {
            slopes::<3, E>(x, |x| (x.cumprod::<0>() * of::<1, shape![3], E>(&up)).sum())
        };
        let all = slopes::<4, E>([2.0, 0.0, 3.0, 4.0], |x| x.cumprod::<0>().sum());
        exactly(&all, [1.0, 32.0, 0.0, 0.0]);
        exactly(&weighted([3.0, 0.0, 2.0], [1.0, 10.0, 100.0]), [1.0, 630.0, 0.0]);
        exactly(&weighted([0.0, 0.0, 2.0], [1.0, 10.0, 100.0]), [1.0, 0.0, 0.0]);
        exactly(&slopes::<1, E>([0.0], |x| x.cumprod::<0>().sum()), [1.0]);
    }
}

// fla-org/flash-linear-attention#1095
#[test]
fn the_end_of_a_running_sum_is_not_lost_to_its_start() {
    let seed: Tensor<1, shape![64]> = by_place(|i| if i < 32 { 1e8 } else { 1.0 });
    let x = Tensor::<1, shape![64]>::ones().tracked();
    x.cumsum::<0>().backward_with(&seed);
    let g = grad(&x);
    exactly(
        g.iter().skip(32),
        (1..=32).rev().map(f64::from).collect::<Vec<_>>(),
    );
    near_within([g[[31]], g[[0]]], [100000032.0, 3200000032.0], 1e-6);
    // Along the other axis.
    let columns = seed.unsqueeze::<1>().broadcast_to::<shape![64, 3]>();
    let x = Tensor::<2, shape![64, 3]>::ones().tracked();
    x.cumsum::<0>().backward_with(&columns);
    for column in grad(&x).t().to_array() {
        assert_eq!(column.to_vec(), g.to_vec());
    }
}

// pytorch/pytorch#196701
#[test]
fn the_second_derivative_of_running_products() {
    let slope = |t: f64| {
        let t = Tensor::<0, (), f64>::scalar(t).tracked();
        let offsets = Tensor::from([[0.0, 1.0, 2.0], [-1.0, 1.0, 3.0]]);
        let factors = Tensor::from([[1.0, 1.0, -1.0], [1.0, 2.0, 1.0]]);
        let weights = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let y = ((factors * &t + offsets).cumprod::<1>() * weights).sum();
        y.backward();
        (y.item(), grad(&t).item())
    };
    assert_eq!(slope(1.0), (11.0, 101.0));
    // Exact, because the first derivative is quadratic.
    assert_eq!(slope(1.5).1 - slope(0.5).1, 144.0);
}

/// One factor of zero at every place of every length: its slope is the product of all others.
#[test]
fn a_zero_at_every_place_of_every_length() {
    fn body<const N: usize, E: Number>() {
        // Factors of 2 and 1/2, so that products are exact.
        let factor = |i: usize| if i.is_multiple_of(2) { 2.0 } else { 0.5 };
        for zero in 0..N {
            let x: Tensor<1, shape![N], E> = by_place(|i| if i == zero { 0.0 } else { factor(i) });
            let x = x.tracked();
            let y = x.prod();
            exactly(&y, [0.0]);
            y.backward();
            let others: f64 = (0..N).filter(|&i| i != zero).map(factor).product();
            let right = |i: usize| if i == zero { others } else { 0.0 };
            exactly(&grad(&x), (0..N).map(right).collect::<Vec<_>>());
            x.zero_grad();

            let last: Tensor<1, shape![N], E> = by_place(|i| f64::from(i == N - 1));
            (x.cumprod::<0>() * last).sum().backward();
            exactly(&grad(&x), (0..N).map(right).collect::<Vec<_>>());
        }
    }
    every_length!(body);
}

/// Every length, along each axis, against sums of whole numbers.
#[test]
fn running_sums_of_every_length() {
    fn body<const N: usize, E: Number>() {
        let x: Tensor<2, shape![N, 3], E> = by_place(|i| i as f64);
        let x = x.tracked();
        let y = x.cumsum::<0>();
        let sum = |row: usize, column: usize| (0..=row).map(|r| r * 3 + column).sum::<usize>();
        let right: Vec<f64> = (0..3 * N).map(|i| sum(i / 3, i % 3) as f64).collect();
        exactly(&y, &right);
        exactly(&x.t().cumsum::<1>().t(), &right);
        y.sum().backward();
        exactly(
            &grad(&x),
            (0..3 * N).map(|i| (N - i / 3) as f64).collect::<Vec<_>>(),
        );
    }
    every_length!(body);
}

/// Squares of the elements would overflow, or vanish.
#[test]
fn norms_of_very_large_and_very_small_numbers() {
    for size in [1e30f32, 1e-30, f32::MAX / 8.0, f32::MIN_POSITIVE, 1e-44] {
        let x = Tensor::from([3.0 * size, 4.0 * size]);
        let right = f64::from(x[[0]]).hypot(f64::from(x[[1]])) as f32;
        let norm = x.norm(2.0).item();
        assert!((norm - right).abs() <= right * 1e-6, "{size:e}: {norm:e}");
    }
    let x = Tensor::<1, shape![100]>::full(1e20f32).tracked();
    let norm = x.norm(2.0);
    near_within([norm.item()], [1e21], 1e-6);
    norm.backward();
    near_within(&grad(&x), [0.1; 100], 1e-6);
}
