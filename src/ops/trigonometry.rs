//! Angles from ratios, hyperbolic functions and their inverses.

use super::arithmetic::{Arithmetic, pairwise};
use super::binary::{Binary, InLanes, Uses};
use super::unary::unary_ops;
use crate::element::Element;
use crate::kernel::{FunctionOfTwo, Lanes, Single, size};
use crate::shape::{Broadcast, Shape, TensorOf};
use crate::tensor::Tensor;
use crate::unbranched::powers;
use std::f64::consts::LN_2;

unary_ops! {
    /// Inverse trigonometric, hyperbolic and inverse hyperbolic functions.
    trait Trigonometry;

    /// The angle in −π/2 to π/2 whose sine is x, elementwise. PyTorch: `asin`; NumPy: `arcsin`.
    ///
    /// Shape `S` to `S`; derivative 1/√(1 − x²), which is ∞ at ±1. NaN beyond.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f64, 1.0]).asin().to_array(), [0.0, std::f64::consts::FRAC_PI_2]);
    /// ```
    asin() saves Input: |x| x.asin(), |g, x| g / circle(x);

    /// The angle in 0 to π whose cosine is x, elementwise. PyTorch: `acos`; NumPy: `arccos`.
    ///
    /// Shape `S` to `S`; derivative −1/√(1 − x²), which is −∞ at ±1. NaN beyond.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f64, -1.0]).acos().to_array(), [0.0, std::f64::consts::PI]);
    /// ```
    acos() saves Input: |x| x.acos(), |g, x| -g / circle(x);

    /// The angle in −π/2 to π/2 whose tangent is x, elementwise. PyTorch: `atan`; NumPy: `arctan`.
    ///
    /// Shape `S` to `S`; derivative 1/(1 + x²).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f64, f64::INFINITY]).atan().to_array(), [0.0, std::f64::consts::FRAC_PI_2]);
    /// ```
    atan() saves Input: |x| x.atan(), |g, x| g / (E::one() + x * x);

    /// The hyperbolic sine (eˣ − e⁻ˣ)/2, elementwise. PyTorch: `sinh`.
    ///
    /// Shape `S` to `S`; derivative cosh x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, f32::INFINITY]).sinh().to_array(), [0.0, f32::INFINITY]);
    /// ```
    sinh() saves Input: |x| x.sinh(), |g, x| g * x.cosh();

    /// The hyperbolic cosine (eˣ + e⁻ˣ)/2, elementwise. PyTorch: `cosh`.
    ///
    /// Shape `S` to `S`; derivative sinh x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, f32::NEG_INFINITY]).cosh().to_array(), [1.0, f32::INFINITY]);
    /// ```
    cosh() saves Input: |x| x.cosh(), |g, x| g * x.sinh();

    /// The number whose hyperbolic sine is x, ln(x + √(x² + 1)), elementwise and accurate also where x is near
    /// 0. PyTorch: `asinh`; NumPy: `arcsinh`.
    ///
    /// Shape `S` to `S`; derivative 1/√(x² + 1).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f64, 1e-20]).asinh().to_array(), [0.0, 1e-20]);
    /// ```
    asinh() saves Input: |x| E::narrow(area_sine(x.widen())), |g, x| g / x.hypot(E::one());

    /// The number from 0 on whose hyperbolic cosine is x, ln(x + √(x² − 1)), elementwise. PyTorch: `acosh`;
    /// NumPy: `arccosh`.
    ///
    /// Shape `S` to `S`; derivative 1/√(x² − 1), which is ∞ at 1. NaN below 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, f32::INFINITY]).acosh().to_array(), [0.0, f32::INFINITY]);
    /// ```
    acosh() saves Input:
        |x| E::narrow(area_cosine(x.widen())),
        |g, x| g / ((x - E::one()).sqrt() * (x + E::one()).sqrt());

    /// The number whose hyperbolic tangent is x, ½·ln((1 + x)/(1 − x)), elementwise. PyTorch: `atanh`; NumPy:
    /// `arctanh`.
    ///
    /// Shape `S` to `S`; derivative 1/(1 − x²). ±∞ at ±1 and NaN beyond.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 1.0]).atanh().to_array(), [0.0, f32::INFINITY]);
    /// ```
    atanh() saves Input: |x| E::narrow(area_tangent(x.widen())), |g, x| g / ((E::one() - x) * (E::one() + x));
}

/// √(1 − x²), without cancellation near ±1.
fn circle<E: Element>(x: E) -> E {
    ((E::one() - x) * (E::one() + x)).sqrt()
}

/// acosh, from x − 1: near 1 the logarithm's argument would round away what the result is made of.
fn area_cosine<E: Element>(x: E) -> E {
    let above = x - E::one();
    if above > E::epsilon().recip() {
        twice_ln(x)
    } else {
        (above + above.sqrt() * (x + E::one()).sqrt()).ln_1p()
    }
}

/// asinh of |x|, with the sign of x: on the other side the logarithm's argument would be a small difference.
fn area_sine<E: Element>(x: E) -> E {
    let size = size(x);
    let area = if size > E::epsilon().recip() {
        twice_ln(size)
    } else {
        let root = (size * size + E::one()).sqrt();
        (size + size * size / (root + E::one())).ln_1p()
    };
    area.copysign(x)
}

/// atanh of |x|, with the sign of x, for the same reason.
fn area_tangent<E: Element>(x: E) -> E {
    let size = size(x);
    let ratio = (size + size) / (E::one() - size);
    (ratio.ln_1p() * E::of(0.5)).copysign(x)
}

/// ln(2·x), where 2·x might overflow: √(x² ± 1) is x to the last digit.
fn twice_ln<E: Element>(x: E) -> E {
    x.ln() + E::of(LN_2)
}

/// The direction of the point (x, y).
pub(super) struct Atan2;
impl<E: Element> Binary<E> for Atan2 {
    const NAME: &'static str = "atan2";
    const LHS: Uses = Uses::BOTH;
    const RHS: Uses = Uses::BOTH;
    #[inline(never)]
    fn forward(y: E, x: E) -> E {
        y.atan2(x)
    }
    #[inline(never)]
    fn lhs(g: E, y: E, x: E) -> E {
        g * over_square(x, y.hypot(x))
    }
    #[inline(never)]
    fn rhs(g: E, y: E, x: E) -> E {
        -g * over_square(y, y.hypot(x))
    }
}

/// a/h², divided twice because h² would underflow long before the quotient overflows; 0 where h is 0.
fn over_square<E: Element>(a: E, h: E) -> E {
    if h == E::zero() { E::zero() } else { a / h / h }
}

/// √(a² + b²)
struct Length;
impl FunctionOfTwo for Length {
    #[inline(always)]
    fn single<V: Single>(a: V, b: V) -> V {
        powers::hypot(a, b)
    }
    #[inline(always)]
    fn general<E: Element>(a: E, b: E) -> E {
        a.hypot(b)
    }
}

/// The distance of the point (a, b).
pub(super) struct Hypot;
impl<E: Element> InLanes<E> for Hypot {
    const NAME: &'static str = "hypot";
    #[inline(always)]
    fn forward<V: Lanes<Element = E>>(a: V, b: V) -> V {
        a.apply_with::<Length>(b)
    }
    /// 0 where the distance is 0, the subgradient of minimum norm.
    #[inline(always)]
    fn lhs<V: Lanes<Element = E>>(a: V, b: V) -> V {
        let (zero, length) = (V::of(0.0), a.apply_with::<Length>(b));
        length.if_nan(length, zero.if_less(length, a / length, zero))
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// The direction of each point (x, y), as an angle from −π to π; these are the y. With broadcasting.
    /// PyTorch: `atan2`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives x/(x² + y²) and −y/(x² + y²). At the origin
    /// the angle is 0 (π for a negative zero x, as IEEE 754 has it) and both derivatives are 0, where PyTorch has NaN.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (y, x) = (Tensor::from([1.0f64, 0.0]), Tensor::from([0.0, -1.0]));
    /// assert_eq!(y.atan2(&x).to_array(), [std::f64::consts::FRAC_PI_2, std::f64::consts::PI]);
    /// ```
    pub fn atan2<const Q: usize, B: Shape<Q>>(
        &self,
        x: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, x, <E::Ops as Arithmetic<E>>::atan2)
    }

    /// √(a² + b²) of each pair of elements, without overflow on the way and with broadcasting. PyTorch:
    /// `hypot`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives a/√(a² + b²) and b/√(a² + b²), and 0 where
    /// both are 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([3e30f32, 0.0]).hypot(&Tensor::from([4e30, 2.0])).to_array(), [5e30, 2.0]);
    /// ```
    pub fn hypot<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, other, <E::Ops as Arithmetic<E>>::hypot)
    }
}
