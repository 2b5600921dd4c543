//! Activation functions.
//!
//! Other than in loops over `f32`, those whose steps would lose digits are evaluated in the wider type.

use super::unary::unary_ops;
use crate::element::Element;
use crate::kernel::{self, Lanes, logistic, size};
use crate::unbranched::gates::{self, CUBIC, DOUBLE_SCALE};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

unary_ops! {
    /// Activation functions.
    trait Activation;

    /// tanh x, elementwise. PyTorch: `tanh`.
    ///
    /// Shape `S` to `S`; derivative 1 − tanh² x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 100.0]).tanh().to_array(), [0.0, 1.0]);
    /// ```
    tanh() saves Output, in lanes: |x| x.tanh(), |g, y| g * ((V::of(1.0) - y) * (V::of(1.0) + y));

    /// The logistic function σ(x) = 1/(1 + e⁻ˣ), elementwise. PyTorch: `sigmoid`.
    ///
    /// Shape `S` to `S`; derivative σ(x)·(1 − σ(x)). Nothing overflows at either end.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 1e4, -1e4]).sigmoid().to_array(), [0.5, 1.0, 0.0]);
    /// ```
    sigmoid() saves Output, in lanes: |x| x.logistic(), |g, y| g * (y * (V::of(1.0) - y));

    /// max(x, 0), elementwise. PyTorch: `relu`.
    ///
    /// Shape `S` to `S`; derivative 1 above 0, 0 below and at 0. NaN stays NaN, with derivative 1.
    ///
    /// Formulas built from `relu` and `abs`, such as relu(x) + ln(1 + e^−|x|), lose their slope at 0;
    /// [`softplus`](Self::softplus) has it.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([-1.0f32, 0.0, 2.0]).tracked();
    /// x.relu().sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [0.0, 0.0, 1.0]);
    /// ```
    relu() saves Output:
        |x| if x <= E::zero() { E::zero() } else { x },
        |g, y| if y <= E::zero() { E::zero() } else { g };

    /// x above 0, `slope`·x below, elementwise. PyTorch: `leaky_relu`, whose slope is 0.01 unless told.
    ///
    /// Shape `S` to `S`; derivative 1 above 0, `slope` below and at 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-2.0f32, 2.0]).leaky_relu(0.5).to_array(), [-1.0, 2.0]);
    /// ```
    leaky_relu(slope: E) saves Input:
        |x| if x <= E::zero() { slope * x } else { x },
        |g, x| if x <= E::zero() { g * slope } else { g };

    /// x above 0, `alpha`·(eˣ − 1) below, elementwise. PyTorch: `elu`, whose alpha is 1 unless told.
    ///
    /// Shape `S` to `S`; derivative 1 above 0, `alpha`·eˣ below and at 0
    /// (Clevert, Unterthiner & Hochreiter 2015).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([f32::NEG_INFINITY, 2.0]).elu(1.0).to_array(), [-1.0, 2.0]);
    /// ```
    elu(alpha: E) saves Input, in lanes:
        |x| above_zero(x, x, x.exp_m1() * V::splat(alpha)),
        |g, x| above_zero(x, g, g * V::splat(alpha) * x.exp());

    /// x·Φ(x) with Φ the normal distribution function, elementwise. PyTorch: `gelu`.
    ///
    /// Shape `S` to `S`; derivative Φ(x) + x·φ(x) (Hendrycks & Gimpel 2016). It is 0 at −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 50.0, -50.0]).gelu().to_array(), [0.0, 50.0, 0.0]);
    /// ```
    gelu() saves Input, in lanes: |x| x.apply::<Gelu>(), |g, x| g * x.apply::<GeluSlope>();

    /// GELU with Φ(x) ≈ (1 + tanh(√(2/π)·(x + 0.044715·x³)))/2, elementwise. PyTorch:
    /// `gelu(approximate="tanh")`.
    ///
    /// Shape `S` to `S`. It is 0 at −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 50.0, -50.0]).gelu_tanh().to_array(), [0.0, 50.0, 0.0]);
    /// ```
    gelu_tanh() saves Input, in lanes: |x| x.apply::<GeluTanh>(), |g, x| g * x.apply::<GeluTanhSlope>();

    /// x·σ(x), elementwise; also called swish. PyTorch: `silu`.
    ///
    /// Shape `S` to `S`; derivative σ(x)·(1 + x·(1 − σ(x))). It is 0 at −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 200.0]).silu().to_array(), [0.0, 200.0]);
    /// ```
    silu() saves Input, in lanes: |x| x.apply::<Silu>(), |g, x| g * x.apply::<SiluSlope>();

    /// ln(1 + eˣ), elementwise: a smooth relu. PyTorch: `softplus`.
    ///
    /// Shape `S` to `S`; derivative σ(x). Accurate everywhere, so there is no threshold.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([100.0f32]).softplus().to_array(), [100.0]);
    /// ```
    softplus() saves Input, in lanes: |x| x.apply::<Softplus>(), |g, x| g * x.logistic();

    /// ln(1 + e^(β·x))/β, elementwise. PyTorch: `softplus(beta=beta)`.
    ///
    /// Shape `S` to `S`; derivative σ(β·x).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([100.0f32]).softplus_beta(5.0).to_array(), [100.0]);
    /// ```
    softplus_beta(beta: E) saves Input:
        |x| E::narrow(smooth_relu_at(beta.widen(), x.widen())),
        |g, x| g * logistic(beta * x);
}

/// `above` where x is above 0 or NaN, `below` elsewhere.
#[inline(always)]
pub(super) fn above_zero<V: Lanes>(x: V, above: V, below: V) -> V {
    x.if_nan(above, V::of(0.0).if_less(x, above, below))
}

kernel::functions! {
    Gelu = gates::gelu, |x| E::narrow(gelu_at(x.widen()));
    GeluSlope = gates::gelu_slope, |x| E::narrow(gelu_slope(x.widen()));
    GeluTanh = gates::gelu_tanh, |x| E::narrow(gelu_tanh_at(x.widen()));
    GeluTanhSlope = gates::gelu_tanh_slope, |x| E::narrow(gelu_tanh_slope(x.widen()));
    Silu = gates::silu, |x| E::narrow(silu_at(x.widen()));
    SiluSlope = gates::silu_slope, |x| E::narrow(silu_slope(x.widen()));
    Softplus = gates::softplus, |x| smooth_relu(x);
}

/// ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|).
pub(super) fn smooth_relu<E: Element>(x: E) -> E {
    let positive = if x.is_sign_negative() { E::zero() } else { x };
    positive + (-size(x)).exp().ln_1p()
}

/// ln(1 + e^(β·x))/β, where β·x may overflow.
fn smooth_relu_at<E: Element>(beta: E, x: E) -> E {
    let t = beta * x;
    let positive = if t.is_sign_negative() { E::zero() } else { x };
    positive + (-size(t)).exp().ln_1p() / beta
}

/// x·gate, where a gate that has closed altogether wins over an infinite x.
pub(super) fn gated<E: Element>(x: E, gate: E) -> E {
    if gate == E::zero() {
        E::zero()
    } else {
        x * gate
    }
}

/// Φ(x) = erfc(−x/√2)/2, accurate in the lower tail too.
fn normal_cdf<E: Element>(x: E) -> E {
    (-x * E::of(FRAC_1_SQRT_2)).erfc() * E::of(0.5)
}

fn gelu_at<E: Element>(x: E) -> E {
    gated(x, normal_cdf(x))
}

fn gelu_slope<E: Element>(x: E) -> E {
    // φ(x) = e^(−x²/2)/√(2π)
    let density = (x * x * E::of(-0.5)).exp() * E::of(FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * 0.5);
    normal_cdf(x) + gated(x, density)
}

fn gelu_argument<E: Element>(x: E) -> E {
    E::of(DOUBLE_SCALE) * x * (E::one() + E::of(CUBIC) * x * x)
}

fn gelu_tanh_at<E: Element>(x: E) -> E {
    gated(x, logistic(gelu_argument(x)))
}

fn gelu_tanh_slope<E: Element>(x: E) -> E {
    let s = logistic(gelu_argument(x));
    let inner = E::of(DOUBLE_SCALE) * (E::one() + E::of(3.0 * CUBIC) * x * x);
    s + gated(x * inner, s * (E::one() - s))
}

fn silu_at<E: Element>(x: E) -> E {
    gated(x, logistic(x))
}

fn silu_slope<E: Element>(x: E) -> E {
    let s = logistic(x);
    // Far out on either side x·σ·(1 − σ) is ∞·0; its limit is 0.
    s + gated(x, s * (E::one() - s))
}
