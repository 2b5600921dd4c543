//! [`Lanes`] in the registers of AVX-512.

use super::lanes::{Function, FunctionOfTwo, Lanes, QUARTER, Single};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Sixteen `f32`. They come about in loops that are compiled for AVX-512 and run where the processor has it.
#[derive(Clone, Copy)]
pub struct F32x16(__m512);

/// Calls an instruction of AVX-512.
macro_rules! avx512 {
    ($instruction:expr) => {
        // SAFETY: the processor has AVX-512: whoever makes `F32x16`s sees to it (`widest!`).
        unsafe { $instruction }
    };
}

macro_rules! operators {
    ($($Operator:ident $name:ident $instruction:ident),*) => {$(
        impl $Operator for F32x16 {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                F32x16(avx512!($instruction(self.0, other.0)))
            }
        }
    )*};
}
operators! { Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps, Div div _mm512_div_ps }

impl Neg for F32x16 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        F32x16(avx512!(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))))
    }
}

/// How many values ahead they are fetched.
const AHEAD: usize = 256;

/// The first `n` of sixteen.
#[inline(always)]
fn first(n: usize) -> __mmask16 {
    ((1u32 << n) - 1) as __mmask16
}

impl Lanes for F32x16 {
    type Element = f32;
    const COUNT: usize = 16;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        F32x16(avx512!(_mm512_set1_ps(value)))
    }
    #[inline(always)]
    fn load(values: &[f32]) -> Self {
        // Loops that compute much between loads see too few of those to come to find what they need: a fifth less time
        // where it lies in the outer cache.
        let ahead = values.as_ptr().wrapping_add(AHEAD);
        avx512!(_mm_prefetch::<_MM_HINT_T0>(ahead.cast()));
        Self::load_near(values)
    }
    #[inline(always)]
    fn load_near(values: &[f32]) -> Self {
        let values = &values[..Self::COUNT];
        F32x16(avx512!(_mm512_loadu_ps(values.as_ptr())))
    }
    #[inline(always)]
    fn store(self, values: &mut [f32]) {
        let values = &mut values[..Self::COUNT];
        avx512!(_mm512_storeu_ps(values.as_mut_ptr(), self.0));
    }
    #[inline(always)]
    fn load_part(values: &[f32]) -> Self {
        assert!(values.len() < Self::COUNT);
        let mask = first(values.len());
        F32x16(avx512!(_mm512_maskz_loadu_ps(mask, values.as_ptr())))
    }
    #[inline(always)]
    fn store_part(self, values: &mut [f32]) {
        assert!(values.len() < Self::COUNT);
        avx512!(_mm512_mask_storeu_ps(
            values.as_mut_ptr(),
            first(values.len()),
            self.0
        ));
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        F32x16(avx512!(_mm512_fmadd_ps(self.0, factor.0, term.0)))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        F32x16(avx512!(_mm512_abs_ps(self.0)))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        F32x16(avx512!(_mm512_sqrt_ps(self.0)))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        F32x16(avx512!(_mm512_roundscale_ps::<DOWN>(self.0)))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let bit = Self::splat(-0.0);
        F32x16(avx512!(_mm512_or_ps(
            _mm512_andnot_ps(bit.0, self.0),
            _mm512_and_ps(bit.0, sign.0)
        )))
    }
    #[inline(always)]
    fn if_less(self, than: Self, then: Self, otherwise: Self) -> Self {
        F32x16(avx512!(_mm512_mask_blend_ps(
            _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, than.0),
            otherwise.0,
            then.0
        )))
    }
    #[inline(always)]
    fn if_nan(self, then: Self, otherwise: Self) -> Self {
        F32x16(avx512!(_mm512_mask_blend_ps(
            _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0),
            otherwise.0,
            then.0
        )))
    }
    // Both instructions return their second operand where one is NaN.
    #[inline(always)]
    fn or_larger(self, other: Self) -> Self {
        F32x16(avx512!(_mm512_max_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn or_smaller(self, other: Self) -> Self {
        F32x16(avx512!(_mm512_min_ps(self.0, other.0)))
    }
    #[inline(always)]
    fn largest(self) -> f32 {
        avx512!(_mm512_reduce_max_ps(self.0))
    }
    #[inline(always)]
    fn each(self, f: impl Fn(f32) -> f32) -> Self {
        let mut values = [0.0; Self::COUNT];
        self.store(&mut values);
        Self::load(&values.map(f))
    }

    #[inline(always)]
    fn apply<F: Function>(self) -> Self {
        F::single(self)
    }
    #[inline(always)]
    fn apply_with<F: FunctionOfTwo>(self, other: Self) -> Self {
        F::single(self, other)
    }
}

impl Single for F32x16 {
    #[inline(always)]
    fn two_to(n: Self) -> Self {
        Self::splat(1.0).times_two_to(n)
    }
    #[inline(always)]
    fn times_two_to(self, n: Self) -> Self {
        F32x16(avx512!(_mm512_scalef_ps(self.0, n.0)))
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let mantissa =
            avx512!(_mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_ZERO>(self.0));
        // Both exponents are those of numbers from 1 to 2.
        let exponent = avx512!(_mm512_sub_ps(
            _mm512_getexp_ps(self.0),
            _mm512_getexp_ps(mantissa)
        ));
        (F32x16(mantissa), F32x16(exponent))
    }
    #[inline(always)]
    fn product_parts(self, factor: Self) -> [Self; 2] {
        let product = self * factor;
        [product, self.mul_add(factor, -product)]
    }
    #[inline(always)]
    fn minus_quarters(self, n: Self) -> Self {
        let halves = [
            avx512!((_mm512_castps512_ps256(self.0), _mm512_castps512_ps256(n.0))),
            avx512!((
                _mm512_extractf32x8_ps::<1>(self.0),
                _mm512_extractf32x8_ps::<1>(n.0)
            )),
        ];
        let mut less = [avx512!(_mm256_setzero_ps()); 2];
        for (less, (x, n)) in less.iter_mut().zip(halves) {
            *less = avx512!({
                let n = _mm512_cvtps_pd(n);
                let large = _mm512_mul_pd(n, _mm512_set1_pd(QUARTER[0]));
                let small = _mm512_mul_pd(n, _mm512_set1_pd(QUARTER[1]));
                _mm512_cvtpd_ps(_mm512_sub_pd(
                    _mm512_sub_pd(_mm512_cvtps_pd(x), large),
                    small,
                ))
            });
        }
        F32x16(avx512!(_mm512_insertf32x8::<1>(
            _mm512_castps256_ps512(less[0]),
            less[1]
        )))
    }
    #[inline(always)]
    fn residue(self, a: Self, b: Self) -> Self {
        a.mul_add(-b, self)
    }
}
