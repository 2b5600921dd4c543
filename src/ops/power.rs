//! Powers, roots and reciprocals.

use super::arithmetic::{Arithmetic, pairwise};
use super::binary::{Binary, Uses};
use super::unary::unary_ops;
use crate::element::Element;
use crate::shape::{Broadcast, Shape, TensorOf};
use crate::tensor::Tensor;

unary_ops! {
    /// Powers of one tensor.
    trait Power;

    /// x², elementwise. PyTorch: `square`.
    ///
    /// Shape `S` to `S`; derivative 2x.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-3.0f32]).square().to_array(), [9.0]);
    /// ```
    square() saves Input: |x| x * x, |g, x| g * (x + x);

    /// √x, elementwise. PyTorch: `sqrt`.
    ///
    /// Shape `S` to `S`; derivative 1/(2√x), which is ∞ at 0. NaN below 0.
    ///
    /// A gradient of 0 that arrives at x = 0 becomes 0·∞ = NaN, as in PyTorch: guard x, not the root
    /// (`mask.select(&x, &one).sqrt()`).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([9.0f32]).sqrt().to_array(), [3.0]);
    /// ```
    sqrt() saves Output: |x| x.sqrt(), |g, y| g / (y + y);

    /// 1/√x, elementwise. PyTorch: `rsqrt`.
    ///
    /// Shape `S` to `S`; derivative −1/(2x√x).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([4.0f32]).rsqrt().to_array(), [0.5]);
    /// ```
    rsqrt() saves Output: |x| x.sqrt().recip(), |g, y| g * y * y * y * E::of(-0.5);

    /// 1/x, elementwise. PyTorch: `reciprocal`.
    ///
    /// Shape `S` to `S`; derivative −1/x².
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([4.0f32]).recip().to_array(), [0.25]);
    /// ```
    // g first: y² would overflow or vanish long before g·y² does; so it is above.
    recip() saves Output: |x| x.recip(), |g, y| -(g * y) * y;

    /// xⁿ for a whole number n, elementwise. PyTorch: `pow`.
    ///
    /// Shape `S` to `S`; derivative n·xⁿ⁻¹, and 0 everywhere where n is 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.0f32, -2.0]).tracked();
    /// x.powi(3).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [0.0, 12.0]);
    /// ```
    powi(n: i32) saves Input:
        |x| x.powi(n),
        // n − 1 would overflow for the smallest n; the power is split instead.
        |g, x| match n {
            0 => E::zero(),
            i32::MIN => g * E::of(n.into()) * (x.powi(n) / x),
            _ => g * E::of(n.into()) * x.powi(n - 1),
        };

    /// xᵖ for a constant p, elementwise. PyTorch: `pow`.
    ///
    /// Shape `S` to `S`; derivative p·xᵖ⁻¹, and 0 everywhere where p is 0. A negative x has a power
    /// only if p is a whole number, and is NaN otherwise.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.0f64, 4.0]).tracked();
    /// x.powf(1.5).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [0.0, 3.0]);
    /// ```
    powf(p: E) saves Input: |x| x.powf(p), |g, x| base_gradient(g, x, p);
}

fn base_gradient<E: Element>(g: E, base: E, exponent: E) -> E {
    if exponent == E::zero() {
        E::zero()
    } else {
        g * exponent * base.powf(exponent - E::one())
    }
}

/// `a` to the power of `b`.
pub(super) struct Pow;

impl<E: Element> Binary<E> for Pow {
    const NAME: &'static str = "pow";
    const LHS: Uses = Uses::BOTH;
    const RHS: Uses = Uses::BOTH;
    #[inline(never)]
    fn forward(a: E, b: E) -> E {
        a.powf(b)
    }
    #[inline(never)]
    fn lhs(g: E, a: E, b: E) -> E {
        base_gradient(g, a, b)
    }
    #[inline(never)]
    fn rhs(g: E, a: E, b: E) -> E {
        // 0 to a positive power is 0 all around, so the derivative is 0 and not 0·ln 0.
        if a == E::zero() && b >= E::zero() {
            E::zero()
        } else {
            g * a.powf(b) * a.ln()
        }
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// Each element to the power of the exponent's, with broadcasting. PyTorch: `pow`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives b·aᵇ⁻¹ (0 where b is 0) and aᵇ·ln a (0
    /// where a is 0 and b is not negative). At a negative base the exponent's gradient is NaN; the
    /// base's is not touched by that.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let base = Tensor::from([2.0f32, 3.0]);
    /// assert_eq!(base.pow(&Tensor::from([[1.0], [2.0]]).stretch::<1>()).to_array(), [[2.0, 3.0], [4.0, 9.0]]);
    /// ```
    pub fn pow<const Q: usize, B: Shape<Q>>(
        &self,
        exponent: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, exponent, <E::Ops as Arithmetic<E>>::pow)
    }
}
