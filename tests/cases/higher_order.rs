//! First derivatives of functions that were wrong at the second; the second by differences of the first.

use super::check::{exactly, grad, near, near_within, of};
use shapeproof::prelude::*;

/// The slope of a function of one number.
fn slope(at: f64, f: impl Fn(&Tensor<0, (), f64>) -> Tensor<0, (), f64>) -> f64 {
    let x = Tensor::scalar(at).tracked();
    f(&x).backward();
    grad(&x).item()
}

/// The second derivative at `at`, exact where the first is quadratic.
fn curvature(at: f64, f: impl Fn(&Tensor<0, (), f64>) -> Tensor<0, (), f64>) -> f64 {
    slope(at + 0.5, &f) - slope(at - 0.5, &f)
}

// sebgao/cTensor#5
#[test]
fn a_cube_from_products() {
    let cube = |x: &Tensor<0, (), f64>| x * x * x;
    exactly([slope(2.0, cube), curvature(2.0, cube)], [12.0, 12.0]);
}

// pytorch/pytorch#196701
#[test]
fn products_through_a_factor_of_zero() {
    let f = |t: &Tensor<0, (), f64>| {
        let rows = [
            [t * 1.0, t + 1.0, 2.0 - t],
            [t - 1.0, 2.0 * t + 1.0, t + 3.0],
        ];
        let mut sum = Tensor::scalar(0.0);
        for (i, row) in rows.iter().enumerate() {
            let mut product = Tensor::scalar(1.0);
            for (j, factor) in row.iter().enumerate() {
                product *= factor;
                sum += &product * (3 * i + j + 1) as f64;
            }
        }
        sum
    };
    exactly(&f(&Tensor::scalar(1.0)), [11.0]);
    exactly([slope(1.0, f), curvature(1.0, f)], [101.0, 144.0]);
}

// google-deepmind/dex-lang#713, raven-ml/raven#153
#[test]
fn a_gradient_and_its_change_along_a_direction() {
    let f = |x: &Tensor<1, shape![3], f64>| (x.square().sum() * 0.5).exp();
    let gradient = |x: &Tensor<1, shape![3], f64>| {
        let x = x.clone().tracked();
        f(&x).backward();
        grad(&x)
    };
    let x: Tensor<1, shape![3], f64> = of(&[0.1, 0.2, 0.3]);
    let v: Tensor<1, shape![3], f64> = of(&[0.2, 0.3, 0.4]);
    let exact = [0.1, 0.2, 0.3].map(|x| x * (0.07f64).exp());
    near(&gradient(&x), exact);
    near_within(exact, [0.10725082, 0.21450164, 0.32175245], 3e-8);
    let h = 1e-4;
    let along = (gradient(&(&x + &v * h)) - gradient(&(&x - &v * h))) / (2.0 * h);
    near_within(&along, [0.23595180, 0.36465278, 0.49335376], 5e-8);

    let x: Tensor<2, shape![2, 2], f64> = of(&[1.0, 2.0, 3.0, 4.0]);
    let x = x.tracked();
    let value = x.matmul(&x.t()).sum();
    exactly(&value, [52.0]);
    value.backward();
    let tangent: Tensor<2, shape![2, 2], f64> = of(&[1.0, 0.0, 0.0, -1.0]);
    exactly(&(grad(&x) * tangent).sum(), [-4.0]);
}

// pytorch/pytorch#38586
#[test]
fn a_stretched_leaf() {
    let m: Tensor<2, shape![2, 2], f64> = of(&[1.0, 2.0, 3.0, 4.0]);
    let v: Tensor<1, shape![1], f64> = of(&[0.5]);
    let v = v.tracked();
    m.matmul(&v.broadcast_to::<shape![2]>()).sum().backward();
    exactly(&grad(&v), [10.0]);
}
