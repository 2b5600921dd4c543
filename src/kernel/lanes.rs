//! [`Lanes`]: a few numbers side by side, on which one instruction works at once.
//!
//! Functions that are written in them (`unbranched`) have no branches and no calls. A single number is lanes too, and
//! the compiler makes vectors of loops over them; where it would not make the best of a processor, as with AVX-512,
//! the lanes are its registers.

use crate::element::Element;
use crate::unbranched;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Methods that apply a function each.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $Function:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name(self) -> Self {
            self.apply::<$Function>()
        }
    )*};
}

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
    /// The same, for loops that do little between loads: they need none of what lies behind fetched for them.
    #[inline(always)]
    fn load_near(values: &[Self::Element]) -> Self {
        Self::load(values)
    }
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
    /// √x
    fn sqrt(self) -> Self;
    /// The largest whole number that is not above x.
    fn floor(self) -> Self;
    /// The size of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// `then` where `self` < `than`; `otherwise` elsewhere, also where one of the two is NaN.
    fn if_less(self, than: Self, then: Self, otherwise: Self) -> Self;
    /// `then` where `self` is NaN, `otherwise` elsewhere.
    fn if_nan(self, then: Self, otherwise: Self) -> Self;
    /// `self` where it is larger than `other`; `other` elsewhere, also where one of the two is NaN.
    fn or_larger(self, other: Self) -> Self;
    /// `self` where it is smaller than `other`; `other` elsewhere, also where one of the two is NaN.
    fn or_smaller(self, other: Self) -> Self;
    /// `self`, which equals `other`, or [halfway](Element::tied) between how either moves.
    #[inline(always)]
    fn tied(self, _other: Self) -> Self {
        self
    }
    /// The largest of them, if none is NaN.
    fn largest(self) -> Self::Element;
    /// `f` of each.
    fn each(self, f: impl Fn(Self::Element) -> Self::Element) -> Self;

    /// `F` of each.
    fn apply<F: Function>(self) -> Self;
    /// `F` of each and its partner.
    fn apply_with<F: FunctionOfTwo>(self, other: Self) -> Self;

    methods! {
        /// eˣ
        exp = Exp;
        /// eˣ − 1
        exp_m1 = ExpM1;
        /// ln x
        ln = Ln;
        /// ln(1 + x)
        ln_1p = Ln1p;
        /// tanh x
        tanh = Tanh;
        /// 1/(1 + e⁻ˣ), without overflow.
        logistic = Logistic;
        /// The error function.
        erf = Erf;
        /// 2ˣ
        exp2 = Exp2;
        /// log₂ x
        log2 = Log2;
        /// log₁₀ x
        log10 = Log10;
        /// sin x; of `f32`, for angles up to `unbranched::ANGLES`.
        sin = Sin;
        /// cos x, likewise.
        cos = Cos;
        /// The nearest whole number; of two, the even one.
        nearest = Nearest;
    }

    /// The whole number next to x towards 0.
    #[inline(always)]
    fn trunc(self) -> Self {
        self.abs().floor().copysign(self)
    }

    /// A constant.
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self::splat(Self::Element::of(value))
    }
}

/// π/2 in two parts, the first with 33 bits (fdlibm, e_rem_pio2.c).
pub(super) const QUARTER: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// Lanes of `f32`, with what the functions are made of.
pub trait Single: Lanes<Element = f32> {
    /// 2ⁿ, for whole `n` from −126 to 127.
    fn two_to(n: Self) -> Self;
    /// `self`·2ⁿ, rounded once, for whole `n` from −170 to 130 and a `self` between 2⁻⁴⁰ and 2⁴⁰, or any if `n` is 0.
    fn times_two_to(self, n: Self) -> Self;
    /// m from ¾ to 1½ and a whole n with `self` = m·2ⁿ, for positive and finite numbers.
    fn split(self) -> (Self, Self);
    /// The product, and what its rounding has lost.
    fn product_parts(self, factor: Self) -> [Self; 2];
    /// `self` − n·π/2, rounded once, for whole `n` up to 2¹⁷.
    fn minus_quarters(self, n: Self) -> Self;
    /// `self` − a·b, rounded once, for a product that lies between half and twice `self`.
    fn residue(self, a: Self, b: Self) -> Self;

    /// The sum, and what its rounding has lost (Knuth's two-sum).
    #[inline(always)]
    fn sum_parts(self, term: Self) -> [Self; 2] {
        let sum = self + term;
        let added = sum - self;
        [sum, (self - (sum - added)) + (term - added)]
    }
}

/// A function of numbers.
pub trait Function {
    /// Of lanes of `f32`, without branches and calls.
    fn single<V: Single>(x: V) -> V;
    /// Of any number.
    fn general<E: Element>(x: E) -> E;
}

/// A function of two numbers.
pub trait FunctionOfTwo {
    /// Of lanes of `f32`, without branches and calls.
    fn single<V: Single>(a: V, b: V) -> V;
    /// Of any numbers.
    fn general<E: Element>(a: E, b: E) -> E;
}

/// Functions, a row each: the name, the function of lanes, and that of any number.
macro_rules! functions {
    ($($Name:ident = $single:path, |$x:ident| $general:expr;)*) => {$(
        pub struct $Name;
        impl $crate::kernel::Function for $Name {
            #[inline(always)]
            fn single<V: $crate::kernel::Single>(x: V) -> V {
                $single(x)
            }
            #[inline(always)]
            fn general<E: $crate::element::Element>($x: E) -> E {
                $general
            }
        }
    )*};
}
pub(crate) use functions;

/// |x| for functions that are smooth at 0 and split by the sign of x. `abs` itself has the slope 0 there, and dual
/// numbers would carry that on; here 0 belongs to the side that its sign says.
#[inline(always)]
pub(crate) fn size<E: Element>(x: E) -> E {
    if x.is_sign_negative() { -x } else { x }
}

/// 1/(1 + e⁻ˣ), split by sign so that the exponential never overflows.
#[inline(always)]
pub(crate) fn logistic<E: Element>(x: E) -> E {
    let e = (-size(x)).exp();
    let part = if x.is_sign_negative() { e } else { E::one() };
    part / (E::one() + e)
}

functions! {
    Exp = unbranched::exp, |x| x.exp();
    ExpM1 = unbranched::exp_m1, |x| x.exp_m1();
    Ln = unbranched::ln, |x| x.ln();
    Ln1p = unbranched::ln_1p, |x| x.ln_1p();
    Tanh = unbranched::tanh, |x| x.tanh();
    Logistic = unbranched::logistic, |x| logistic(x);
    Erf = unbranched::erf, |x| x.erf();
    Exp2 = unbranched::exp2, |x| x.exp2();
    Log2 = unbranched::log2, |x| x.log2();
    Log10 = unbranched::log10, |x| x.log10();
    Sin = unbranched::sin, |x| x.sin();
    Cos = unbranched::cos, |x| x.cos();
    Floor = unbranched::floor, |x| x.floor();
    Nearest = unbranched::nearest, |x| {
        // `Float::round` goes away from 0 in the middle.
        let half = E::of(0.5);
        if (x - x.trunc()).abs() == half {
            // x/2 lies a quarter from a whole number, and twice that is even.
            (x * half).round() * E::of(2.0)
        } else {
            x.round()
        }
    };
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
    fn sqrt(self) -> Self {
        Scalar(self.0.sqrt())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // Processors that multiply and add in one step have one for this, too.
        if FUSED {
            Scalar(self.0.floor())
        } else {
            self.apply::<Floor>()
        }
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
    fn if_nan(self, then: Self, otherwise: Self) -> Self {
        if self.0.is_nan() { then } else { otherwise }
    }
    #[inline(always)]
    fn tied(self, other: Self) -> Self {
        Scalar(self.0.tied(other.0))
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
    fn apply<F: Function>(self) -> Self {
        Scalar(E::in_loop::<F, FUSED>(self.0))
    }
    #[inline(always)]
    fn apply_with<F: FunctionOfTwo>(self, other: Self) -> Self {
        Scalar(E::in_loop_of_two::<F, FUSED>(self.0, other.0))
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
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        const THREE_QUARTERS: i32 = 0.75f32.to_bits() as i32;
        const MANTISSA: i32 = (1 << 23) - 1;
        // Numbers below the normal ones become normal.
        let small = self.0 < f32::MIN_POSITIVE;
        let (scale, exponent) = if small {
            (8_388_608.0, -23.0)
        } else {
            (1.0, 0.0)
        };
        let bits = ((self.0 * scale).to_bits() as i32).wrapping_sub(THREE_QUARTERS);
        let m = f32::from_bits(((bits & MANTISSA) + THREE_QUARTERS) as u32);
        (Scalar(m), Scalar((bits >> 23) as f32 + exponent))
    }
    #[inline(always)]
    fn product_parts(self, factor: Self) -> [Self; 2] {
        let product = self * factor;
        if FUSED {
            return [product, self.mul_add(factor, -product)];
        }
        let ([a, b], [c, d]) = (halves(self), halves(factor));
        // Dekker's product: each of these products is exact.
        [product, (((a * c - product) + a * d) + b * c) + b * d]
    }
    #[inline(always)]
    fn minus_quarters(self, n: Self) -> Self {
        let n = f64::from(n.0);
        Scalar(((f64::from(self.0) - n * QUARTER[0]) - n * QUARTER[1]) as f32)
    }
    #[inline(always)]
    fn residue(self, a: Self, b: Self) -> Self {
        if FUSED {
            return a.mul_add(-b, self);
        }
        let [product, rest] = a.product_parts(b);
        (self - product) - rest
    }
}

/// A number as the sum of two with half as many digits (Veltkamp).
#[inline(always)]
fn halves<const FUSED: bool>(x: Scalar<f32, FUSED>) -> [Scalar<f32, FUSED>; 2] {
    let multiple = Scalar(4097.0) * x;
    let upper = multiple - (multiple - x);
    [upper, x - upper]
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
