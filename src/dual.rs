//! Dual numbers: a value together with its derivative along one direction.
//!
//! `a + b·ε` with ε² = 0 computes with derivatives as ordinary numbers do with values (Clifford 1873): every function
//! of a dual number carries its derivative along. [`Dual<E>`] is an element type, so the whole library computes with
//! it, operations, gradients and all. [`jvp`](crate::autograd::jvp) and [`hvp`](crate::autograd::hvp) are built on it.
//!
//! Dual numbers nest: the derivative of a derivative is the ε-part of the ε-part of a `Dual<Dual<f64>>`, and the two
//! directions cannot be mixed up, since they have different types.

use crate::element::Element;
use crate::kernel::Scalar;
use crate::kernel::gemm::{Operand, Size};
use crate::ops::Lent;
use num_traits::{Float, FromPrimitive, Num, NumCast, One, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};
use std::fmt;
use std::iter::Sum;
use std::num::FpCategory;
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// `value + tangent·ε`: a number and its derivative along one direction.
///
/// Comparisons, `min` and `max`, and questions such as `is_nan` are about the value alone, as they are for a program
/// that knows of no derivative.
///
/// ```
/// use shapeproof::dual::Dual;
/// use num_traits::Float;
///
/// let x = Dual::new(3.0, 1.0); // the number 3, which moves at speed 1
/// let y = x * x + x.exp();
/// assert_eq!(y.value, 9.0 + 3f64.exp());
/// assert_eq!(y.tangent, 6.0 + 3f64.exp());
/// ```
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Dual<E> {
    /// The number.
    pub value: E,
    /// Its derivative along the direction.
    pub tangent: E,
}

impl<E: Element> Dual<E> {
    /// The number `value`, which changes by `tangent` for each step along the direction.
    pub fn new(value: E, tangent: E) -> Self {
        Dual { value, tangent }
    }

    /// A number that does not change.
    pub fn constant(value: E) -> Self {
        Dual::new(value, E::zero())
    }

    /// `value` with the tangent of `self` times `slope`: the chain rule.
    fn chain(self, value: E, slope: E) -> Self {
        Dual::new(value, scaled(self.tangent, slope))
    }
}

impl<E: fmt::Debug> fmt::Debug for Dual<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        f.write_str(" + ")?;
        self.tangent.fmt(f)?;
        f.write_str("ε")
    }
}

impl<E: fmt::Display> fmt::Display for Dual<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        f.write_str(" + ")?;
        self.tangent.fmt(f)?;
        f.write_str("ε")
    }
}

impl<E: fmt::LowerExp> fmt::LowerExp for Dual<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        f.write_str(" + ")?;
        self.tangent.fmt(f)?;
        f.write_str("ε")
    }
}

impl<E: Element> PartialEq for Dual<E> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<E: Element> PartialOrd for Dual<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<E: Element> Add for Dual<E> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual::new(self.value + other.value, self.tangent + other.tangent)
    }
}

impl<E: Element> Sub for Dual<E> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual::new(self.value - other.value, self.tangent - other.tangent)
    }
}

impl<E: Element> Mul for Dual<E> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual::new(
            self.value * other.value,
            scaled(self.tangent, other.value) + scaled(other.tangent, self.value),
        )
    }
}

impl<E: Element> Div for Dual<E> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let moved = self.tangent - scaled(other.tangent, value);
        Dual::new(value, over(moved, other.value))
    }
}

impl<E: Element> Rem for Dual<E> {
    type Output = Self;
    fn rem(self, other: Self) -> Self {
        let whole = (self.value / other.value).trunc();
        Dual::new(
            self.value % other.value,
            self.tangent - scaled(other.tangent, whole),
        )
    }
}

/// `tangent·factor`, and 0 where nothing moves, whatever the factor: 0·∞ would be NaN.
fn scaled<E: Element>(tangent: E, factor: E) -> E {
    if tangent.vanishes() {
        E::zero()
    } else {
        tangent * factor
    }
}

/// `tangent/divisor`, and 0 where nothing moves, whatever the divisor.
fn over<E: Element>(tangent: E, divisor: E) -> E {
    if tangent.vanishes() {
        E::zero()
    } else {
        tangent / divisor
    }
}

impl<E: Element> Neg for Dual<E> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual::new(-self.value, -self.tangent)
    }
}

macro_rules! assign {
    ($($Op:ident $op:ident $symbol:tt;)*) => {$(
        impl<E: Element> $Op for Dual<E> {
            fn $op(&mut self, other: Self) {
                *self = *self $symbol other;
            }
        }
    )*};
}
assign! {
    AddAssign add_assign +;
    SubAssign sub_assign -;
    MulAssign mul_assign *;
    DivAssign div_assign /;
    RemAssign rem_assign %;
}

impl<E: Element> Zero for Dual<E> {
    fn zero() -> Self {
        Dual::constant(E::zero())
    }
    fn is_zero(&self) -> bool {
        self.value.is_zero()
    }
}

impl<E: Element> One for Dual<E> {
    fn one() -> Self {
        Dual::constant(E::one())
    }
}

impl<E: Element> Num for Dual<E> {
    type FromStrRadixErr = E::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        E::from_str_radix(text, radix).map(Dual::constant)
    }
}

impl<E: Element> ToPrimitive for Dual<E> {
    fn to_i64(&self) -> Option<i64> {
        self.value.to_i64()
    }
    fn to_u64(&self) -> Option<u64> {
        self.value.to_u64()
    }
    fn to_f64(&self) -> Option<f64> {
        self.value.to_f64()
    }
}

impl<E: Element> NumCast for Dual<E> {
    fn from<T: ToPrimitive>(number: T) -> Option<Self> {
        <E as NumCast>::from(number).map(Dual::constant)
    }
}

impl<E: Element> FromPrimitive for Dual<E> {
    fn from_i64(number: i64) -> Option<Self> {
        E::from_i64(number).map(Dual::constant)
    }
    fn from_u64(number: u64) -> Option<Self> {
        E::from_u64(number).map(Dual::constant)
    }
    fn from_f64(number: f64) -> Option<Self> {
        E::from_f64(number).map(Dual::constant)
    }
}

impl<E: Element> Sum for Dual<E> {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::zero(), |sum, number| sum + number)
    }
}

/// Functions whose derivative is a formula in the operand `x` and the result `y`.
macro_rules! smooth {
    ($($name:ident: |$x:ident, $y:ident| $slope:expr;)*) => {$(
        fn $name(self) -> Self {
            let $x = self.value;
            let $y = $x.$name();
            self.chain($y, $slope)
        }
    )*};
}

/// Functions that are constant between their jumps.
macro_rules! steps {
    ($($name:ident)*) => {$(
        fn $name(self) -> Self {
            Dual::constant(self.value.$name())
        }
    )*};
}

macro_rules! constants {
    ($($name:ident)*) => {$(
        fn $name() -> Self {
            Dual::constant(E::$name())
        }
    )*};
}

macro_rules! questions {
    ($($name:ident -> $Answer:ty;)*) => {$(
        fn $name(self) -> $Answer {
            self.value.$name()
        }
    )*};
}

impl<E: Element> Float for Dual<E> {
    constants! {
        nan infinity neg_infinity neg_zero min_value min_positive_value max_value epsilon
    }
    questions! {
        is_nan -> bool;
        is_infinite -> bool;
        is_finite -> bool;
        is_normal -> bool;
        classify -> FpCategory;
        is_sign_positive -> bool;
        is_sign_negative -> bool;
        integer_decode -> (u64, i16, i8);
    }
    steps! { floor ceil round trunc signum }
    smooth! {
        exp: |_x, y| y;
        exp2: |_x, y| y * E::of(LN_2);
        exp_m1: |x, _y| x.exp();
        log2: |x, _y| (x * E::of(LN_2)).recip();
        log10: |x, _y| (x * E::of(LN_10)).recip();
        cbrt: |_x, y| (E::of(3.0) * y * y).recip();
        recip: |_x, y| -(y * y);
        sin: |x, _y| x.cos();
        cos: |x, _y| -x.sin();
        tan: |_x, y| E::one() + y * y;
        asin: |x, _y| ((E::one() - x) * (E::one() + x)).sqrt().recip();
        acos: |x, _y| -((E::one() - x) * (E::one() + x)).sqrt().recip();
        atan: |x, _y| (E::one() + x * x).recip();
        sinh: |x, _y| x.cosh();
        cosh: |x, _y| x.sinh();
        tanh: |_x, y| E::one() - y * y;
        asinh: |x, _y| x.hypot(E::one()).recip();
        acosh: |x, _y| ((x - E::one()).sqrt() * (x + E::one()).sqrt()).recip();
        atanh: |x, _y| ((E::one() - x) * (E::one() + x)).recip();
    }
    fn sqrt(self) -> Self {
        let y = self.value.sqrt();
        Dual::new(y, over(self.tangent, y + y))
    }
    fn ln(self) -> Self {
        Dual::new(self.value.ln(), over(self.tangent, self.value))
    }
    fn ln_1p(self) -> Self {
        Dual::new(
            self.value.ln_1p(),
            over(self.tangent, E::one() + self.value),
        )
    }
    fn fract(self) -> Self {
        Dual::new(self.value.fract(), self.tangent)
    }
    fn abs(self) -> Self {
        let x = self.value;
        let slope = if x == E::zero() {
            E::zero()
        } else {
            x.signum()
        };
        self.chain(x.abs(), slope)
    }
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let value = self.value.mul_add(factor.value, addend.value);
        Dual::new(value, (self * factor + addend).tangent)
    }
    fn powi(self, n: i32) -> Self {
        let x = self.value;
        let slope = match n {
            0 => E::zero(),
            i32::MIN => E::of(n.into()) * (x.powi(n) / x),
            _ => E::of(n.into()) * x.powi(n - 1),
        };
        self.chain(x.powi(n), slope)
    }
    fn powf(self, power: Self) -> Self {
        let (x, p) = (self.value, power.value);
        let value = x.powf(p);
        let base = if p.vanishes() || p == E::zero() && x == E::zero() {
            E::zero()
        } else {
            scaled(self.tangent, p * x.powf(p - E::one()))
        };
        let exponent = if x == E::zero() && p >= E::zero() {
            E::zero()
        } else {
            scaled(power.tangent, value * x.ln())
        };
        Dual::new(value, base + exponent)
    }
    fn log(self, base: Self) -> Self {
        self.ln() / base.ln()
    }
    fn max(self, other: Self) -> Self {
        if self.value > other.value || other.value.is_nan() {
            self
        } else {
            other
        }
    }
    fn min(self, other: Self) -> Self {
        if self.value < other.value || other.value.is_nan() {
            self
        } else {
            other
        }
    }
    fn abs_sub(self, other: Self) -> Self {
        if self.value <= other.value {
            Self::zero()
        } else {
            self - other
        }
    }
    fn hypot(self, other: Self) -> Self {
        let length = self.value.hypot(other.value);
        if length == E::zero() {
            return Dual::constant(length);
        }
        let tangent =
            scaled(self.tangent, self.value / length) + scaled(other.tangent, other.value / length);
        Dual::new(length, tangent)
    }
    fn atan2(self, other: Self) -> Self {
        let (y, x) = (self.value, other.value);
        let length = y.hypot(x);
        let tangent =
            scaled(self.tangent, x / length / length) - scaled(other.tangent, y / length / length);
        Dual::new(y.atan2(x), tangent)
    }
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn to_degrees(self) -> Self {
        Dual::new(self.value.to_degrees(), self.tangent.to_degrees())
    }
    fn to_radians(self) -> Self {
        Dual::new(self.value.to_radians(), self.tangent.to_radians())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Element> Element for Dual<E> {
    type Ops = Lent;
    type Wide = Dual<E::Wide>;
    type InBase = Scalar<Self, false>;
    #[cfg(target_arch = "x86_64")]
    type InAvx2 = Scalar<Self, false>;
    #[cfg(target_arch = "x86_64")]
    type InAvx512 = Scalar<Self, false>;

    fn widen(self) -> Dual<E::Wide> {
        Dual::new(self.value.widen(), self.tangent.widen())
    }
    fn narrow(wide: Dual<E::Wide>) -> Self {
        Dual::new(E::narrow(wide.value), E::narrow(wide.tangent))
    }
    fn erf(self) -> Self {
        let x = self.value;
        let slope = E::of(FRAC_2_SQRT_PI) * (-x * x).exp();
        self.chain(x.erf(), slope)
    }
    fn erfc(self) -> Self {
        let x = self.value;
        let slope = -E::of(FRAC_2_SQRT_PI) * (-x * x).exp();
        self.chain(x.erfc(), slope)
    }
    fn of(value: f64) -> Self {
        Dual::constant(E::of(value))
    }
    fn vanishes(self) -> bool {
        self.value.vanishes() && self.tangent.vanishes()
    }
    fn tied(self, other: Self) -> Self {
        let tangent = (self.tangent + other.tangent) * E::of(0.5);
        Dual::new(self.value.tied(other.value), tangent)
    }
    fn unit(word: u64) -> Self {
        Dual::constant(E::unit(word))
    }
    /// The product rule, in three products of ordinary numbers.
    fn gemm(size: Size, a: Operand<'_, Self>, b: Operand<'_, Self>, add: bool, c: &mut [Self]) {
        let values = |of: &[Self]| -> Vec<E> { of.iter().map(|x| x.value).collect() };
        let tangents = |of: &[Self]| -> Vec<E> { of.iter().map(|x| x.tangent).collect() };
        let (a_values, a_tangents) = (values(a.values), tangents(a.values));
        let (b_values, b_tangents) = (values(b.values), tangents(b.values));
        let (mut value, mut tangent) = (values(c), tangents(c));
        let left = |values| Operand {
            values,
            row: a.row,
            column: a.column,
        };
        let right = |values| Operand {
            values,
            row: b.row,
            column: b.column,
        };
        E::gemm(size, left(&a_values), right(&b_values), add, &mut value);
        E::gemm(size, left(&a_tangents), right(&b_values), add, &mut tangent);
        E::gemm(
            size,
            left(&a_values),
            right(&b_tangents),
            true,
            &mut tangent,
        );
        for (c, (value, tangent)) in c.iter_mut().zip(value.into_iter().zip(tangent)) {
            *c = Dual::new(value, tangent);
        }
    }
}
