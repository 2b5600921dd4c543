//! Powers, roots and reciprocals.

use super::Operand;
use super::arithmetic::{Arithmetic, pairwise};
use super::binary::{InLanes, paired};
use super::unary::{Saves, Unary, unary, unary_ops};
use crate::element::Element;
use crate::kernel::{
    self, Exponent, FunctionOfTwo, Lanes, Paired, Pointwise, Raise, Single, Slope, Steepness,
    Widest, ZipWith,
};
use crate::shape::{Broadcast, Dims, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};
use crate::unbranched::powers;
use num_traits::ToPrimitive;

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
}

/// Operations that raise to one power: what it is called, and the slope's factor and exponent.
macro_rules! with_exponent {
    ($($(#[$doc:meta])* $name:ident $Op:ident($p:ident: $P:ty) saves Input: $exponent:expr, $factor:expr, $below:expr;)*) => {$(
        $(#[$doc])*
        struct $Op;
        impl<E: Element> Unary<E> for $Op {
            type Params = ($P,);
            const NAME: &'static str = stringify!($name);
            const SAVES: Saves = Saves::Input;
            fn forward(($p,): ($P,), x: kernel::Source<'_, E>) -> Buffer<E> {
                kernel::map(x, &power($exponent))
            }
            fn backward(($p,): ($P,), grad: Buffer<E>, saved: &[E]) -> Buffer<E> {
                let slope = Steepness { factor: $factor, below: power($below) };
                kernel::map_with(grad, saved, &slope)
            }
            fn numbers(($p,): ($P,), visit: &mut dyn FnMut(&'static str, f64)) {
                visit(stringify!($p), $p.to_f64().unwrap_or(f64::NAN));
            }
        }

        pub(super) fn $name<E: Element>(x: Operand<'_, E>, dims: Dims, $p: $P) -> Raw<E> {
            unary::<E, $Op>(x, dims, ($p,))
        }
    )*};
}

with_exponent! {
    /// xⁿ
    powi PowI(n: i32) saves Input: Exponent::Whole(n.into()), E::of(n.into()), Exponent::Whole(i64::from(n) - 1);
    /// xᵖ
    powf PowF(p: E) saves Input: Exponent::of(p), p, Exponent::of(p - E::one());
}

fn power<E: Element>(exponent: Exponent<E>) -> Raise<E> {
    Raise {
        exponent,
        power: paired::<E, Pow>(),
    }
}

/// aᵇ
struct PowerOfTwo;
impl FunctionOfTwo for PowerOfTwo {
    #[inline(always)]
    fn single<V: Single>(a: V, b: V) -> V {
        powers::power(a, b)
    }
    #[inline(always)]
    fn general<E: Element>(a: E, b: E) -> E {
        a.powf(b)
    }
}

/// `a` to the power of `b`.
pub(super) struct Pow;
impl<E: Element> InLanes<E> for Pow {
    const NAME: &'static str = "pow";
    #[inline(always)]
    fn forward<V: Lanes<Element = E>>(a: V, b: V) -> V {
        a.apply_with::<PowerOfTwo>(b)
    }
    #[inline(always)]
    fn lhs<V: Lanes<Element = E>>(a: V, b: V) -> V {
        let zero = V::of(0.0);
        let slope = b * a.apply_with::<PowerOfTwo>(b - V::of(1.0));
        b.if_nan(b, zero.if_less(b.abs(), slope, zero))
    }
    const RHS: Option<&'static dyn ZipWith<E>> =
        Some(&Slope::<E, false>(Paired(&Widest(ByExponent))));
}

/// The derivative of a power for its exponent: aᵇ·ln a.
struct ByExponent;
impl<E: Element> Pointwise<E, 2> for ByExponent {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [a, b]: [V; 2]) -> V {
        let zero = V::of(0.0);
        let slope = a.apply_with::<PowerOfTwo>(b) * a.ln();
        // 0 to a positive power is 0 all around, so the derivative is 0 and not 0·ln 0.
        let at_zero = b.if_nan(slope, b.if_less(zero, slope, zero));
        a.if_nan(slope, zero.if_less(a.abs(), slope, at_zero))
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
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
    pub fn powi(&self, n: i32) -> Self {
        let x = Operand::Shared(&self.raw);
        Self::from_raw(<E::Ops as Arithmetic<E>>::powi(x, A::DIMS, n))
    }

    /// xᵖ for a constant p, elementwise. PyTorch: `pow`.
    ///
    /// Shape `S` to `S`; derivative p·xᵖ⁻¹, and 0 everywhere where p is 0. A negative x has a power
    /// only if p is a whole number, and is NaN otherwise. The exponents −1 to 4 and ½ take a fifth of the time of others.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.0f64, 4.0]).tracked();
    /// x.powf(1.5).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [0.0, 3.0]);
    /// ```
    pub fn powf(&self, p: E) -> Self {
        let x = Operand::Shared(&self.raw);
        Self::from_raw(<E::Ops as Arithmetic<E>>::powf(x, A::DIMS, p))
    }

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
