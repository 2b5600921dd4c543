//! [`Lanes`]: a few numbers side by side, on which one instruction works at once.
//!
//! Functions that are written in them (`unbranched`) have no branches and no calls. A single number is lanes too, and
//! the compiler makes vectors of loops over them; where it would not make the best of a processor, as with AVX-512,
//! the lanes are its registers.

use crate::element::Element;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers side by side. Arithmetic works on each for itself, and gives the same however many there are.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// What they are.
    type Element: Element;
    /// How many.
    const COUNT: usize;

    /// All of them `value`.
    fn splat(value: Self::Element) -> Self;
    /// The first [`COUNT`](Self::COUNT) of `values`.
    fn load(values: &[Self::Element]) -> Self;
    /// Writes them to the front of `values`.
    fn store(self, values: &mut [Self::Element]);
    /// `values`, of which there are fewer than [`COUNT`](Self::COUNT), and 0 in the places behind.
    fn load_part(values: &[Self::Element]) -> Self;
    /// Writes the first ones to all of `values`, of which there are fewer than [`COUNT`](Self::COUNT).
    fn store_part(self, values: &mut [Self::Element]);

    /// `self`·`factor` + `term`, rounded once where the processor does that in one step.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// |x|
    fn abs(self) -> Self;
    /// The size of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// `then` where `self` < `than`; `otherwise` elsewhere, also where one of the two is NaN.
    fn if_less(self, than: Self, then: Self, otherwise: Self) -> Self;
    /// `self` where it is larger than `other`; `other` elsewhere, also where one of the two is NaN.
    fn or_larger(self, other: Self) -> Self;
    /// `self` where it is smaller than `other`; `other` elsewhere, also where one of the two is NaN.
    fn or_smaller(self, other: Self) -> Self;
    /// The largest of them, if none is NaN.
    fn largest(self) -> Self::Element;
    /// `f` of each.
    fn each(self, f: impl Fn(Self::Element) -> Self::Element) -> Self;

    /// eˣ
    fn exp(self) -> Self;
    /// tanh x
    fn tanh(self) -> Self;
    /// 1/(1 + e⁻ˣ), without overflow.
    fn logistic(self) -> Self;

    /// A constant.
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self::splat(Self::Element::of(value))
    }
}

/// Lanes of `f32`, with what the functions are made of.
pub trait Single: Lanes<Element = f32> {
    /// 2ⁿ, for whole `n` from −126 to 127.
    fn two_to(n: Self) -> Self;
    /// `self`·2ⁿ, rounded once, for whole `n` from −152 to 130 and a `self` between ½ and 2.
    fn times_two_to(self, n: Self) -> Self;
}

/// One number. `FUSED`: [`Lanes::mul_add`] rounds once, in one step of the processor.
#[derive(Clone, Copy)]
pub struct Scalar<E, const FUSED: bool>(pub E);

macro_rules! operators {
    ($($Operator:ident $name:ident),*) => {$(
        impl<E: Element, const FUSED: bool> $Operator for Scalar<E, FUSED> {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Scalar($Operator::$name(self.0, other.0))
            }
        }
    )*};
}
operators! { Add add, Sub sub, Mul mul, Div div }

impl<E: Element, const FUSED: bool> Neg for Scalar<E, FUSED> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Scalar(-self.0)
    }
}

impl<E: Element, const FUSED: bool> Lanes for Scalar<E, FUSED> {
    type Element = E;
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(value: E) -> Self {
        Scalar(value)
    }
    #[inline(always)]
    fn load(values: &[E]) -> Self {
        Scalar(values[0])
    }
    #[inline(always)]
    fn store(self, values: &mut [E]) {
        values[0] = self.0;
    }
    #[inline(always)]
    fn load_part(_: &[E]) -> Self {
        Scalar(E::zero())
    }
    #[inline(always)]
    fn store_part(self, _: &mut [E]) {}

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        if FUSED {
            Scalar(self.0.mul_add(factor.0, term.0))
        } else {
            self * factor + term
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Scalar(self.0.abs())
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Scalar(self.0.copysign(sign.0))
    }
    #[inline(always)]
    fn if_less(self, than: Self, then: Self, otherwise: Self) -> Self {
        if self.0 < than.0 { then } else { otherwise }
    }
    #[inline(always)]
    fn or_larger(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
    #[inline(always)]
    fn or_smaller(self, other: Self) -> Self {
        if self.0 < other.0 { self } else { other }
    }
    #[inline(always)]
    fn largest(self) -> E {
        self.0
    }
    #[inline(always)]
    fn each(self, f: impl Fn(E) -> E) -> Self {
        Scalar(f(self.0))
    }

    #[inline(always)]
    fn exp(self) -> Self {
        Scalar(E::exp_in_loop::<FUSED>(self.0))
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        Scalar(E::tanh_in_loop::<FUSED>(self.0))
    }
    #[inline(always)]
    fn logistic(self) -> Self {
        Scalar(E::logistic_in_loop::<FUSED>(self.0))
    }
}

impl<const FUSED: bool> Single for Scalar<f32, FUSED> {
    #[inline(always)]
    fn two_to(n: Self) -> Self {
        Scalar(power_of_two(whole(n.0)))
    }
    #[inline(always)]
    fn times_two_to(self, n: Self) -> Self {
        // In two steps, since 2ⁿ itself may be too large, or too small for all digits. The first rounds nothing.
        let n = whole(n.0);
        let half = n >> 1;
        Scalar(self.0 * power_of_two(half) * power_of_two(n - half))
    }
}

/// A small whole number as an integer, without the branches of a cast.
#[inline(always)]
fn whole(n: f32) -> i32 {
    /// Added to a small whole number, it leaves that in the last bits.
    const LAST_BITS: f32 = 1.5 * (1 << 23) as f32;
    (n + LAST_BITS).to_bits() as i32 - LAST_BITS.to_bits() as i32
}

/// 2ⁿ for an `n` from −126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23) as u32)
}
