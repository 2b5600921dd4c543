//! First derivatives of functions that were wrong at the second; the second by differences of the first.

use super::check::{exactly, grad, near, near_within, of};
use shapeproof::autograd::{hvp, jvp};
use shapeproof::dual::Dual;
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

/// jax-ml/jax#2107, #2140, FluxML/NNlib.jl#671: functions that are computed from |x| are smooth at 0 all the same.
/// Forward mode and second derivatives, which see the steps and not the rule, must not take over that |x| has the slope
/// 0 there.
#[test]
fn smooth_functions_split_by_sign_at_zero() {
    macro_rules! check {
        ($($f:literal: |$x:ident| $body:expr, $slope:expr, $bend:expr;)*) => {$({
            fn f<E: Element>($x: &Tensor<1, shape![2], E>) -> Tensor<1, shape![2], E> {
                $body
            }
            let (x, one) = (Tensor::from([0.0f64, -0.0]), Tensor::ones());
            let (_, along) = jvp(|x| f(&x), &x, &one);
            let (slope, bend) = hvp(|x| f(&x).sum(), &x, &one);
            println!("{}", $f);
            near(&along, [$slope; 2]);
            near(&slope, [$slope; 2]);
            near(&bend, [$bend; 2]);
        })*};
    }
    let normal = (2.0 / std::f64::consts::PI).sqrt();
    check! {
        "sigmoid": |x| x.sigmoid(), 0.25, 0.0;
        "softplus": |x| x.softplus(), 0.5, 0.25;
        "softplus_beta": |x| x.softplus_beta(E::of(2.0)), 0.5, 0.5;
        "log_sigmoid": |x| x.log_sigmoid(), 0.5, -0.25;
        "silu": |x| x.silu(), 0.5, 0.5;
        "mish": |x| x.mish(), 0.6, 0.64;
        "gelu": |x| x.gelu(), 0.5, normal;
        "gelu_tanh": |x| x.gelu_tanh(), 0.5, normal;
        "tanh": |x| x.tanh(), 1.0, 0.0;
        "asinh": |x| x.asinh(), 1.0, 0.0;
        "atanh": |x| x.atanh(), 1.0, 0.0;
        "erf": |x| x.erf(), std::f64::consts::FRAC_2_SQRT_PI, 0.0;
        "logaddexp": |x| x.logaddexp(&Tensor::<0, (), E>::zeros()), 0.5, 0.25;
        "logaddexp(2x)": |x| (x * E::of(2.0)).logaddexp(x), 1.5, 0.25;
        "logsumexp": |x| (x, &x.zeros_like()).stack::<1>().logsumexp_axis::<1>(), 0.5, 0.25;
        "softmax": |x| (x, &x.zeros_like()).stack::<1>().softmax::<1>().select::<1, 0>(), 0.25, 0.0;
        "glu": |x| (&x.ones_like(), x).stack::<1>().glu::<1>().squeeze::<1>(), 0.25, 0.0;
        "bce_with_logits": |x| x.bce_with_logits_none(&x.zeros_like()), 0.5, 0.25;
        "bce_with_logits_weighted":
            |x| x.bce_with_logits_weighted_none(&x.ones_like(), &Tensor::<0, (), E>::full(E::of(3.0))), -1.5, 0.75;
    }
}

/// Kinks and ties have one derivative, whichever way it is computed: forward or backward, fused or not.
#[test]
fn forward_mode_at_kinks_and_ties() {
    macro_rules! check {
        ($($f:literal: |$x:ident| $body:expr;)*) => {$({
            fn f<E: Element>($x: &Tensor<1, shape![4], E>) -> Tensor<1, shape![4], E> {
                $body
            }
            println!("{}", $f);
            for x in [[0.0, -0.0, 1.0, -1.0], [0.0; 4], [2.0, 2.0, 2.0, 1.0]] {
                let x: Tensor<1, shape![4], f64> = of(&x);
                let direction = of(&[1.0, 10.0, 100.0, 1000.0]);
                let (value, along) = jvp(|x| f(&x).sum(), &x, &direction);
                let x = x.tracked();
                let y = f(&x).sum();
                y.backward();
                near(&value, [y.item()]);
                near(&along, [grad(&x).dot(&direction).item()]);
            }
        })*};
    }
    check! {
        "relu": |x| x.relu();
        "abs": |x| x.abs();
        "clamp": |x| x.clamp(E::zero(), E::one());
        "leaky_relu": |x| x.leaky_relu(E::of(0.25));
        "elu": |x| x.elu(E::of(0.5));
        "hardtanh": |x| x.hardtanh(-E::one(), E::one());
        "maximum": |x| x.maximum(&x.zeros_like());
        "minimum": |x| x.zeros_like().minimum(x);
        "maximum of itself": |x| x.maximum(x);
        "maximum, flipped": |x| x.maximum(&x.flip::<0>());
        "minimum, rolled": |x| x.minimum(&x.roll::<0>(1));
        "fused relu": |x| fuse((x,), |(x,)| x.relu());
        "fused abs": |x| fuse((x,), |(x,)| x.abs());
        "fused clamp": |x| fuse((x,), |(x,)| x.clamp(0.0, 1.0));
        "fused maximum": |x| fuse((x, &x.zeros_like()), |(x, y)| x.maximum(y));
        "fused minimum": |x| fuse((x, &x.roll::<0>(1)), |(x, y)| x.minimum(y));
        "cummax": |x| x.cummax::<0>().0;
        "cummin": |x| x.cummin::<0>().0;
        "logcumsumexp": |x| x.logcumsumexp::<0>();
        "logsumexp": |x| x.logsumexp().broadcast_to::<shape![4]>();
        "max": |x| x.max().broadcast_to::<shape![4]>();
        "sort": |x| x.sort::<0>().0 * &of::<1, shape![4], E>(&[1.0, 2.0, 3.0, 4.0]);
        "huber": |x| x.huber_none(&x.zeros_like(), E::one());
        "smooth_l1": |x| x.smooth_l1_none(&x.zeros_like(), E::one());
        "mae": |x| x.mae_none(&x.zeros_like());
        "hinge": |x| x.hinge_none(&x.ones_like());
    }
}

/// The derivative of a function of one number, by dual numbers.
fn derivative<E: Element>(
    f: impl FnOnce(Tensor<0, (), Dual<E>>) -> Tensor<0, (), Dual<E>>,
    x: &Tensor<0, (), E>,
) -> Tensor<0, (), E> {
    jvp(f, x, &Tensor::ones()).1
}

/// What is 0 and moves is not nothing: higher derivatives where lower ones vanish (jax-ml/jax#1374).
#[test]
fn derivatives_behind_one_that_is_zero() {
    macro_rules! second {
        ($at:expr, |$x:ident| $f:expr) => {
            derivative(|$x| derivative(|$x| $f, &$x), &Tensor::scalar($at)).item()
        };
    }
    macro_rules! fourth {
        ($at:expr, |$x:ident| $f:expr) => {
            second!($at, |$x| derivative(|$x| derivative(|$x| $f, &$x), &$x))
        };
    }
    fn five<E: Element>() -> Tensor<0, (), E> {
        Tensor::scalar(E::of(5.0))
    }
    exactly([second!(0.0, |x| x.square() * five())], [10.0]);
    exactly([second!(0.0, |x| x.square() / five())], [0.4]);
    exactly(
        [second!(0.0, |x| (x.square() + five()).sqrt())],
        [1.0 / 5f64.sqrt()],
    );
    exactly([second!(0.0, |x| (x.square() + x.ones_like()).ln())], [2.0]);
    exactly([second!(0.0, |x| x.abs())], [0.0]);
    exactly([second!(0.0, |x| fuse(&x, |x| x.abs()))], [0.0]);
    exactly([fourth!(0.0, |x| x.square().square())], [24.0]);
    exactly([fourth!(0.0, |x| x.powi(4))], [24.0]);
    near(
        [fourth!(0.0, |x| x.cos()), fourth!(0.0, |x| x.exp())],
        [1.0, 1.0],
    );
    near(
        [
            fourth!(0.0, |x| x.softplus()),
            fourth!(1e-8, |x| x.softplus()),
        ],
        [-0.125; 2],
    );
    // Both ways at once: x to the power y, by x and y, at (2, 0).
    let mixed = derivative(
        |y| derivative(|x| x.pow(&lift(&y)), &Tensor::scalar(Dual::of(2.0))),
        &Tensor::scalar(0.0f64),
    );
    near(&mixed, [0.5]);
}

/// A number as a constant of one more direction.
fn lift<E: Element>(x: &Tensor<0, (), E>) -> Tensor<0, (), Dual<E>> {
    Tensor::scalar(Dual::constant(x.item()))
}

/// Targets that are 0 move too.
#[test]
fn losses_as_targets_of_zero_and_one_move() {
    let x: Tensor<1, shape![3], f64> = of(&[0.5, -1.0, 2.0]);
    let targets: Tensor<1, shape![3], f64> = of(&[0.0, 1.0, 0.0]);
    let direction = of(&[1.0, 10.0, 100.0]);
    fn constant<E: Element>(x: &Tensor<1, shape![3], f64>) -> Tensor<1, shape![3], E> {
        of(&x.to_vec())
    }
    macro_rules! check {
        ($(|$x:ident, $t:ident| $loss:expr;)*) => {$({
            let (_, along) = jvp(|t| { let ($x, $t) = (constant(&x), &t); $loss }, &targets, &direction);
            let t = targets.clone().tracked();
            let ($x, $t) = (constant::<f64>(&x), &t);
            $loss.backward();
            near(&along, [grad($t).dot(&direction).item()]);
        })*};
    }
    check! {
        |x, t| x.bce_with_logits_sum(t);
        |x, t| x.bce_with_logits_weighted_sum(t, &x.ones_like());
        |x, t| x.cross_entropy_soft_sum(t);
        |x, t| x.sigmoid().bce_sum(t);
        |x, t| x.mse_sum(t);
    }
}
