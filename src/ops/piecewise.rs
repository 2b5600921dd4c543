//! Activation functions made of straight pieces, and their smooth kin.

use super::activation::{above_zero, gated, smooth_relu};
use super::elementary::sign;
use super::unary::unary_ops;
use crate::element::Element;
use crate::kernel::{self, logistic};
use crate::unbranched::gates;

unary_ops! {
    /// More activation functions.
    trait Piecewise;

    /// x/(1 + |x|), elementwise. PyTorch: `softsign`.
    ///
    /// Shape `S` to `S`; derivative 1/(1 + |x|)². ±1 at ±∞, where PyTorch has NaN.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, f32::INFINITY]).softsign().to_array(), [0.5, 1.0]);
    /// ```
    softsign() saves Input:
        |x| if x.is_infinite() { sign(x) } else { x / (E::one() + x.abs()) },
        |g, x| g / (E::one() + x.abs()).powi(2);

    /// x limited to `low..=high`, elementwise. PyTorch: `hardtanh`, whose limits are −1 and 1 unless told.
    ///
    /// Shape `S` to `S`; derivative 1 between the limits, 0 outside and, unlike [`clamp`](Self::clamp), at
    /// both of them. NaN stays NaN, with derivative 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-3.0f32, 0.5, 3.0]).hardtanh(-1.0, 1.0).to_array(), [-1.0, 0.5, 1.0]);
    /// ```
    hardtanh(low: E, high: E) saves Input:
        |x| if x <= low { low } else if x >= high { high } else { x },
        |g, x| if x <= low || x >= high { E::zero() } else { g };

    /// min(max(x, 0), 6), elementwise. PyTorch: `relu6`.
    ///
    /// Shape `S` to `S`; derivative 1 between 0 and 6, 0 outside and at both. NaN stays NaN, with derivative
    /// 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-1.0f32, 2.0, 7.0]).relu6().to_array(), [0.0, 2.0, 6.0]);
    /// ```
    relu6() saves Output:
        |x| six(x),
        |g, y| if y <= E::zero() || y >= E::of(6.0) { E::zero() } else { g };

    /// min(max(x + 3, 0), 6)/6, elementwise: a sigmoid of straight pieces. PyTorch: `hardsigmoid`.
    ///
    /// Shape `S` to `S`; derivative 1/6 between −3 and 3, 0 outside and at both.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-4.0f32, 0.0, 4.0]).hardsigmoid().to_array(), [0.0, 0.5, 1.0]);
    /// ```
    hardsigmoid() saves Input:
        |x| six(x + E::of(3.0)) / E::of(6.0),
        |g, x| if x <= E::of(-3.0) || x >= E::of(3.0) { E::zero() } else { g / E::of(6.0) };

    /// x·min(max(x + 3, 0), 6)/6, elementwise. PyTorch: `hardswish`.
    ///
    /// Shape `S` to `S`; derivative 0 up to −3, x/3 + 1/2 between −3 and 3, 1 from 3 on (Howard et al.
    /// 2019). It is 0 at −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-4.0f32, 0.0, 1.5, 4.0]).hardswish().to_array(), [0.0, 0.0, 1.125, 4.0]);
    /// ```
    hardswish() saves Input:
        |x| gated(x, six(x + E::of(3.0)) / E::of(6.0)),
        |g, x| if x <= E::of(-3.0) {
            E::zero()
        } else if x >= E::of(3.0) {
            g
        } else {
            g * (x / E::of(3.0) + E::of(0.5))
        };

    /// x where it is above `limit`, `value` elsewhere. PyTorch: `threshold`.
    ///
    /// Shape `S` to `S`; derivative 1 above `limit`, 0 below and at it. NaN stays NaN, with derivative 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.5f32, 2.0]).threshold(1.0, -7.0).to_array(), [-7.0, 2.0]);
    /// ```
    threshold(limit: E, value: E) saves Input:
        |x| if x <= limit { value } else { x },
        |g, x| if x <= limit { E::zero() } else { g };

    /// x with `nan` in place of NaN, `positive` of ∞ and `negative` of −∞. PyTorch: `nan_to_num`, whose
    /// numbers are 0 and the largest and smallest finite ones unless told.
    ///
    /// Shape `S` to `S`; derivative 1 where x is finite, 0 elsewhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([f32::NAN, 1.0, f32::INFINITY, f32::NEG_INFINITY]);
    /// assert_eq!(x.nan_to_num(0.0, f32::MAX, f32::MIN).to_array(), [0.0, 1.0, f32::MAX, f32::MIN]);
    /// ```
    nan_to_num(nan: E, positive: E, negative: E) saves Input:
        |x| if x.is_nan() {
            nan
        } else if x == E::infinity() {
            positive
        } else if x == E::neg_infinity() {
            negative
        } else {
            x
        },
        |g, x| if x.is_finite() { g } else { E::zero() };

    /// x·tanh(ln(1 + eˣ)), elementwise. PyTorch: `mish`.
    ///
    /// Shape `S` to `S`; derivative t + x·σ(x)·(1 − t²) with t = tanh(ln(1 + eˣ)) (Misra 2019). It is 0 at −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 100.0, -200.0]).mish().to_array(), [0.0, 100.0, 0.0]);
    /// ```
    mish() saves Input, in lanes: |x| x.apply::<Mish>(), |g, x| g * x.apply::<MishSlope>();

    /// λ·x above 0, λ·α·(eˣ − 1) below, elementwise, with λ ≈ 1.0507 and α ≈ 1.6733: repeated layers of it
    /// tend to mean 0 and variance 1. PyTorch: `selu`.
    ///
    /// Shape `S` to `S`; derivative λ above 0, λ·α·eˣ below and at 0 (Klambauer et al. 2017).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 1.0]).selu().to_array(), [0.0, 1.050701]);
    /// ```
    selu() saves Input, in lanes:
        |x| above_zero(x, x * V::of(SELU_SCALE), x.exp_m1() * V::of(SELU_SCALE * SELU_ALPHA)),
        |g, x| above_zero(x, g * V::of(SELU_SCALE), g * (x.exp() * V::of(SELU_SCALE * SELU_ALPHA)));

    /// x above 0, `alpha`·(e^(x/`alpha`) − 1) below, elementwise. PyTorch: `celu`, whose alpha is 1 unless
    /// told.
    ///
    /// Shape `S` to `S`; derivative 1 above 0, e^(x/`alpha`) below, so that it is smooth at 0 (Barron 2017).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([f32::NEG_INFINITY, 2.0]).celu(0.5).to_array(), [-0.5, 2.0]);
    /// ```
    celu(alpha: E) saves Input, in lanes:
        |x| above_zero(x, x, (x / V::splat(alpha)).exp_m1() * V::splat(alpha)),
        |g, x| above_zero(x, g, g * (x / V::splat(alpha)).exp());
}

kernel::functions! {
    Mish = gates::mish, |x| E::narrow(mish_at(x.widen()));
    MishSlope = gates::mish_slope, |x| {
        let t = smooth_relu(x).tanh();
        t + gated(x, logistic(x) * (E::one() - t) * (E::one() + t))
    };
}

fn mish_at<E: Element>(x: E) -> E {
    gated(x, smooth_relu(x).tanh())
}

/// The fixed point of mean 0 and variance 1 (Klambauer et al. 2017, equation 14).
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;
/// As above.
const SELU_SCALE: f64 = 1.050_700_987_355_480_5;

/// min(max(x, 0), 6); NaN stays NaN.
fn six<E: Element>(x: E) -> E {
    if x <= E::zero() {
        E::zero()
    } else if x >= E::of(6.0) {
        E::of(6.0)
    } else {
        x
    }
}
