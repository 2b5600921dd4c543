//! Rounding, signs and remainders.

use super::arithmetic::{Arithmetic, pairwise};
use super::binary::{Binary, Uses};
use super::elementary::sign as sign_of;
use super::unary::unary_ops;
use crate::element::Element;
use crate::shape::{Broadcast, Shape, TensorOf};
use crate::tensor::Tensor;

unary_ops! {
    /// Rounding and signs.
    trait Rounding;

    /// The largest whole number that is not above x, elementwise. PyTorch: `floor`.
    ///
    /// Shape `S` to `S`; derivative 0 everywhere, at the steps too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.5f32, -1.5]).floor().to_array(), [1.0, -2.0]);
    /// ```
    floor() saves Nothing; forward in lanes: |x| x.floor(), |_g, _| E::zero();

    /// The smallest whole number that is not below x, elementwise. PyTorch: `ceil`.
    ///
    /// Shape `S` to `S`; derivative 0 everywhere, at the steps too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.5f32, -1.5]).ceil().to_array(), [2.0, -1.0]);
    /// ```
    ceil() saves Nothing; forward in lanes: |x| -(-x).floor(), |_g, _| E::zero();

    /// The nearest whole number, and the even one of two that are equally near, elementwise. PyTorch: `round`.
    ///
    /// Shape `S` to `S`; derivative 0 everywhere, at the steps too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.5f32, 1.5, 2.5, -2.6]);
    /// assert_eq!(x.round().to_array(), [0.0, 2.0, 2.0, -3.0]);
    /// ```
    round() saves Nothing; forward in lanes: |x| x.nearest(), |_g, _| E::zero();

    /// The whole number next to x towards 0, elementwise. PyTorch: `trunc`, `fix`.
    ///
    /// Shape `S` to `S`; derivative 0 everywhere, at the steps too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.5f32, -1.5]).trunc().to_array(), [1.0, -1.0]);
    /// ```
    trunc() saves Nothing; forward in lanes: |x| x.trunc(), |_g, _| E::zero();

    /// x − trunc(x), elementwise: what follows the point, with the sign of x. PyTorch: `frac`.
    ///
    /// Shape `S` to `S`; derivative 1. NaN for infinities.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.25f32, -1.25]).fract().to_array(), [0.25, -0.25]);
    /// ```
    fract() saves Nothing; forward in lanes: |x| x - x.trunc(), |g, _| g;

    /// −1, 0 or 1 as x is below, at or above 0, elementwise. PyTorch: `sign`, whose answer to NaN is 0; NumPy:
    /// `sign`, with NaN for NaN as here.
    ///
    /// Shape `S` to `S`; derivative 0 everywhere, at the step too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-3.0f32, 0.0, 2.0]).sign().to_array(), [-1.0, 0.0, 1.0]);
    /// ```
    sign() saves Nothing: |x| sign_of(x), |_g, _| E::zero();
}

/// How often `b` goes into `a` for a remainder of `r`: a whole number.
fn quotient<E: Element>(a: E, b: E, r: E) -> E {
    ((a - r) / b).round()
}

/// The remainder of division that rounds towards 0.
pub(super) struct Fmod;
impl<E: Element> Binary<E> for Fmod {
    const NAME: &'static str = "fmod";
    const LHS: Uses = Uses::PASSES;
    const RHS: Uses = Uses::BOTH;
    #[inline(never)]
    fn forward(a: E, b: E) -> E {
        a % b
    }
    #[inline(never)]
    fn lhs(g: E, _: E, _: E) -> E {
        g
    }
    #[inline(never)]
    fn rhs(g: E, a: E, b: E) -> E {
        -g * quotient(a, b, a % b)
    }
}

/// The remainder of division that rounds down.
pub(super) struct Remainder;
impl<E: Element> Binary<E> for Remainder {
    const NAME: &'static str = "remainder";
    const LHS: Uses = Uses::PASSES;
    const RHS: Uses = Uses::BOTH;
    #[inline(never)]
    fn forward(a: E, b: E) -> E {
        let r = a % b;
        if r != E::zero() && (r < E::zero()) != (b < E::zero()) {
            r + b
        } else {
            r
        }
    }
    #[inline(never)]
    fn lhs(g: E, _: E, _: E) -> E {
        g
    }
    #[inline(never)]
    fn rhs(g: E, a: E, b: E) -> E {
        -g * quotient(a, b, Self::forward(a, b))
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// The remainder a − b·trunc(a/b) of each pair of elements, with the sign of a and with broadcasting: Rust's
    /// `%`. PyTorch: `fmod`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives 1 and −trunc(a/b). NaN where b is 0 or a is
    /// infinite.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([5.5f32, -5.5]);
    /// assert_eq!(x.fmod(&Tensor::scalar(2.0)).to_array(), [1.5, -1.5]);
    /// ```
    pub fn fmod<const Q: usize, B: Shape<Q>>(
        &self,
        divisor: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, divisor, <E::Ops as Arithmetic<E>>::fmod)
    }

    /// The remainder a − b·floor(a/b) of each pair of elements, with the sign of b and with broadcasting: Python's
    /// `%`. PyTorch: `remainder`; NumPy: `mod`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives 1 and −floor(a/b). NaN where b is 0 or a is
    /// infinite.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([5.5f32, -5.5]);
    /// assert_eq!(x.remainder(&Tensor::scalar(2.0)).to_array(), [1.5, 0.5]);
    /// ```
    pub fn remainder<const Q: usize, B: Shape<Q>>(
        &self,
        divisor: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, divisor, <E::Ops as Arithmetic<E>>::remainder)
    }
}
