//! The numbers a tensor holds: [`Element`], implemented for `f32`, `f64`, and dual numbers of them.
//!
//! Not here: loops over many of them (`kernel`).

#[cfg(target_arch = "x86_64")]
use crate::kernel::F32x16;
use crate::kernel::gemm::{self, Operand, Size};
use crate::kernel::{Function, FunctionOfTwo, Kernels, Lanes, Scalar};
use crate::ops::{Compiled, Ops};
use crate::storage::Plain;
use num_traits::{Float, FromPrimitive, NumAssign};
use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;

/// A number that tensors hold and gradients are made of.
///
/// Code generic over `E: Element` has all of [`num_traits::Float`]: `E::one()`, `x.exp()`, `x + y`.
/// The methods here are what the library's rules need beyond it. The trait is sealed.
///
/// ```
/// use shapeproof::prelude::*;
///
/// fn swish<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>, beta: E) -> Tensor<R, S, E> {
///     x * (x * beta).sigmoid()
/// }
/// assert_eq!(swish(&Tensor::<0, (), f64>::scalar(0.0), 1.5).item(), 0.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element type",
    label = "not an element type",
    note = "elements are `f32` or `f64`; whole numbers that index something are `Indices`"
)]
pub trait Element:
    Plain + Float + NumAssign + FromPrimitive + Sum + Default + Debug + Display + LowerExp
{
    /// The untyped operations on this type, compiled in this crate.
    #[doc(hidden)]
    type Ops: Ops<Self>;

    /// The type in which functions are evaluated whose steps would lose digits in this one: `f64` for `f32`.
    #[doc(hidden)]
    type Wide: Element;

    /// The same value with more digits behind it.
    #[doc(hidden)]
    fn widen(self) -> Self::Wide;

    /// The value of this type nearest to `wide`.
    #[doc(hidden)]
    fn narrow(wide: Self::Wide) -> Self;

    /// By what loops work at each [level](crate::kernel) of processors.
    #[doc(hidden)]
    type InBase: Lanes<Element = Self>;
    #[doc(hidden)]
    #[cfg(target_arch = "x86_64")]
    type InAvx2: Lanes<Element = Self>;
    #[doc(hidden)]
    #[cfg(target_arch = "x86_64")]
    type InAvx512: Lanes<Element = Self>;

    /// `F` of the number, as loops over many want it; `FUSED` as in [`Scalar`].
    #[doc(hidden)]
    #[inline(always)]
    fn in_loop<F: Function, const FUSED: bool>(self) -> Self {
        F::general(self)
    }

    /// `F` of two numbers, likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn in_loop_of_two<F: FunctionOfTwo, const FUSED: bool>(self, other: Self) -> Self {
        F::general(self, other)
    }

    /// The error function, erf(x) = 2/√π ∫₀ˣ exp(−t²) dt.
    fn erf(self) -> Self;

    /// The complementary error function 1 − erf(x), without cancellation for large x.
    fn erfc(self) -> Self;

    /// The value of this type nearest to `value`.
    fn of(value: f64) -> Self;

    /// The value, if that is all there is to the number.
    #[doc(hidden)]
    fn plain(self) -> Option<f64> {
        None
    }

    /// One of two equal numbers; of those that move, halfway between how either does.
    #[doc(hidden)]
    #[inline(always)]
    fn tied(self, _other: Self) -> Self {
        self
    }

    /// True for a 0 that does not move: nothing, whatever it is multiplied by.
    #[doc(hidden)]
    #[inline(always)]
    fn vanishes(self) -> bool {
        self == Self::zero()
    }

    /// A random word as a number in `0.0..1.0`: its upper bits, as many as the type holds exactly.
    #[doc(hidden)]
    fn unit(word: u64) -> Self;

    /// `c = a·b`, or with `add` `c += a·b`; the old contents of `c` are not read without it.
    #[doc(hidden)]
    fn gemm(size: Size, a: Operand<'_, Self>, b: Operand<'_, Self>, add: bool, c: &mut [Self]);

    /// What convolutions of such numbers are computed with here.
    #[doc(hidden)]
    fn windows() -> &'static Kernels<Self> {
        &Kernels::PORTABLE
    }
}

#[diagnostic::do_not_recommend]
impl Element for f32 {
    type Ops = Compiled;
    type Wide = f64;
    #[inline]
    fn widen(self) -> f64 {
        self.into()
    }
    #[inline]
    fn narrow(wide: f64) -> f32 {
        wide as f32
    }
    type InBase = Scalar<f32, { cfg!(target_arch = "aarch64") }>;
    #[cfg(target_arch = "x86_64")]
    type InAvx2 = Scalar<f32, true>;
    #[cfg(target_arch = "x86_64")]
    type InAvx512 = F32x16;
    #[inline(always)]
    fn in_loop<F: Function, const FUSED: bool>(self) -> f32 {
        F::single(Scalar::<f32, FUSED>(self)).0
    }
    #[inline(always)]
    fn in_loop_of_two<F: FunctionOfTwo, const FUSED: bool>(self, other: f32) -> f32 {
        F::single(Scalar::<f32, FUSED>(self), Scalar(other)).0
    }
    fn erf(self) -> f32 {
        libm::erff(self)
    }
    fn erfc(self) -> f32 {
        libm::erfc(self.into()) as f32
    }
    #[inline]
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn plain(self) -> Option<f64> {
        Some(self.into())
    }
    fn unit(word: u64) -> f32 {
        const BITS: u32 = f32::MANTISSA_DIGITS;
        (word >> (64 - BITS)) as f32 / (1u64 << BITS) as f32
    }
    #[cfg_attr(not(feature = "compiled-f32"), inline)]
    fn gemm(size: Size, a: Operand<'_, f32>, b: Operand<'_, f32>, add: bool, c: &mut [f32]) {
        gemm::product(size, a, b, add, c);
    }
    #[cfg_attr(not(feature = "compiled-f32"), inline)]
    fn windows() -> &'static Kernels<f32> {
        Kernels::<f32>::here()
    }
}

#[diagnostic::do_not_recommend]
impl Element for f64 {
    type Ops = Compiled;
    type Wide = f64;
    type InBase = Scalar<f64, false>;
    #[cfg(target_arch = "x86_64")]
    type InAvx2 = Scalar<f64, false>;
    #[cfg(target_arch = "x86_64")]
    type InAvx512 = Scalar<f64, false>;
    #[inline]
    fn widen(self) -> f64 {
        self
    }
    #[inline]
    fn narrow(wide: f64) -> f64 {
        wide
    }
    fn erf(self) -> f64 {
        libm::erf(self)
    }
    fn erfc(self) -> f64 {
        libm::erfc(self)
    }
    #[inline]
    fn of(value: f64) -> f64 {
        value
    }
    fn plain(self) -> Option<f64> {
        Some(self)
    }
    #[inline(always)]
    fn unit(word: u64) -> f64 {
        const BITS: u32 = f64::MANTISSA_DIGITS;
        (word >> (64 - BITS)) as f64 / (1u64 << BITS) as f64
    }
    #[cfg_attr(not(feature = "compiled-f64"), inline)]
    fn gemm(size: Size, a: Operand<'_, f64>, b: Operand<'_, f64>, add: bool, c: &mut [f64]) {
        gemm::product(size, a, b, add, c);
    }
    #[cfg_attr(not(feature = "compiled-f64"), inline)]
    fn windows() -> &'static Kernels<f64> {
        Kernels::<f64>::here()
    }
}

/// A whole number as an element, for counts.
pub(crate) fn count<E: Element>(n: usize) -> E {
    E::of(n as f64)
}
