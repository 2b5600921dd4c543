//! Exponentials, logarithms, trigonometric functions, absolute value and clamping.

use super::unary::unary_ops;
use crate::unbranched::ANGLES;

unary_ops! {
    /// Exponentials, logarithms, angles, limits.
    trait Elementary;

    /// eˣ, elementwise. PyTorch: `exp`.
    ///
    /// Shape `S` to `S`; derivative eˣ.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, f32::NEG_INFINITY]).exp().to_array(), [1.0, 0.0]);
    /// ```
    exp() saves Output, in lanes: |x| x.exp(), |g, y| g * y;

    /// eˣ − 1, elementwise, accurate also where x is near 0. PyTorch: `expm1`.
    ///
    /// Shape `S` to `S`; derivative eˣ.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1e-20f64]).exp_m1().to_array(), [1e-20]);
    /// ```
    exp_m1() saves Output, in lanes: |x| x.exp_m1(), |g, y| g * (y + V::of(1.0));

    /// The natural logarithm, elementwise. PyTorch: `log`.
    ///
    /// Shape `S` to `S`; derivative 1/x. ln 0 is −∞, and NaN below 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 0.0]).ln().to_array(), [0.0, f32::NEG_INFINITY]);
    /// ```
    ln() saves Input, in lanes: |x| x.ln(), |g, x| g / x;

    /// ln(1 + x), elementwise, accurate also where x is near 0. PyTorch: `log1p`.
    ///
    /// Shape `S` to `S`; derivative 1/(1 + x).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1e-20f64]).ln_1p().to_array(), [1e-20]);
    /// ```
    ln_1p() saves Input, in lanes: |x| x.ln_1p(), |g, x| g / (x + V::of(1.0));

    /// |x|, elementwise. PyTorch: `abs`.
    ///
    /// Shape `S` to `S`; derivative sign(x), and 0 at 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([-2.0f32, 0.0, 3.0]).tracked();
    /// x.abs().sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [-1.0, 0.0, 1.0]);
    /// ```
    abs() saves Input: |x| x.abs(), |g, x| g * sign(x);

    /// The sine of angles in radians, elementwise. PyTorch: `sin`.
    ///
    /// Shape `S` to `S`; derivative cos x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32]).sin().to_array(), [0.0]);
    /// ```
    sin() saves Input, in lanes within ANGLES: |x| x.sin(), |g, x| g * x.cos();

    /// The cosine of angles in radians, elementwise. PyTorch: `cos`.
    ///
    /// Shape `S` to `S`; derivative −sin x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32]).cos().to_array(), [1.0]);
    /// ```
    cos() saves Input, in lanes within ANGLES: |x| x.cos(), |g, x| -g * x.sin();

    /// The tangent of angles in radians, elementwise. PyTorch: `tan`.
    ///
    /// Shape `S` to `S`; derivative 1 + tan² x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32]).tan().to_array(), [0.0]);
    /// ```
    tan() saves Output: |x| x.tan(), |g, y| g * (E::one() + y * y);

    /// The values limited to `low..=high`, elementwise. PyTorch: `clamp`.
    ///
    /// Shape `S` to `S`; derivative 1 from `low` to `high` with both ends, 0 outside. NaN stays NaN,
    /// with derivative 1. Where `low > high`, every number becomes `high`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([-0.5f32, 0.0, 0.5, 1.0, 1.5]).tracked();
    /// let y = x.clamp(0.0, 1.0);
    /// assert_eq!(y.to_array(), [0.0, 0.0, 0.5, 1.0, 1.0]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [0.0, 1.0, 1.0, 1.0, 0.0]);
    /// ```
    clamp(low: E, high: E) saves Input:
        |x| if x > high { high } else if x < low { if low > high { high } else { low } } else { x },
        |g, x| if x < low || x > high { E::zero() } else { g };

    /// The values, but at least `low`, elementwise. PyTorch: `clamp(min=low)`.
    ///
    /// Shape `S` to `S`; derivative 1 from `low` on, 0 below. NaN stays NaN, with derivative 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-1.0f32, 2.0]).clamp_min(0.0).to_array(), [0.0, 2.0]);
    /// ```
    clamp_min(low: E) saves Input:
        |x| if x < low { low } else { x },
        |g, x| if x < low { E::zero() } else { g };

    /// The values, but at most `high`, elementwise. PyTorch: `clamp(max=high)`.
    ///
    /// Shape `S` to `S`; derivative 1 up to `high`, 0 above. NaN stays NaN, with derivative 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-1.0f32, 2.0]).clamp_max(0.0).to_array(), [-1.0, 0.0]);
    /// ```
    clamp_max(high: E) saves Input:
        |x| if x > high { high } else { x },
        |g, x| if x > high { E::zero() } else { g };
}

/// −1, 0 or 1; NaN for NaN.
pub(super) fn sign<E: crate::element::Element>(x: E) -> E {
    if x > E::zero() {
        E::one()
    } else if x < E::zero() {
        -E::one()
    } else {
        // Zero of either sign, or NaN.
        x.abs()
    }
}
