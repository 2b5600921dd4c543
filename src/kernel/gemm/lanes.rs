//! Vectors of numbers as processors have them: what the kernels are written in, once for all.

// An index runs over several arrays at once; and iterators would be compiled once more for each tile.
#![allow(clippy::needless_range_loop)]

use crate::element::Element;

/// A vector of numbers in a register.
///
/// # Safety
/// The methods may only run on processors that have the implementor's instructions, inside functions that are compiled
/// for them, into which they are inlined. Pointers are as valid as the numbers that are read or written demand.
pub(in crate::kernel) trait Lanes: Copy {
    /// The numbers.
    type Number: Element;
    /// How many numbers a vector has.
    const COUNT: usize;
    /// Which of a vector's numbers are meant.
    type Mask: Copy;

    /// The first `count` numbers.
    unsafe fn first(count: usize) -> Self::Mask;
    unsafe fn zero() -> Self;
    unsafe fn splat(value: Self::Number) -> Self;
    unsafe fn load(from: *const Self::Number) -> Self;
    unsafe fn store(self, to: *mut Self::Number);
    /// Zeros in place of the numbers that are not meant; they are not read.
    unsafe fn load_some(from: *const Self::Number, mask: Self::Mask) -> Self;
    unsafe fn store_some(self, to: *mut Self::Number, mask: Self::Mask);
    unsafe fn add(self, other: Self) -> Self;
    /// `self + a·b`.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// The numbers of both in turn: those of the lower halves, then those of the upper ones.
    unsafe fn interleave(self, other: Self) -> [Self; 2];
    /// The other way: every second number of both, from the first and from the second.
    unsafe fn separate(self, other: Self) -> [Self; 2];
    /// Has the processor fetch what will be needed soon; the pointer may be any.
    unsafe fn prefetch(_soon: *const Self::Number) {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    /// Each function of [`Lanes`] is one of the processor's, or an expression of some.
    macro_rules! lanes {
        (
            $V:ident: $count:literal of $E:ident, $Mask:ty,
            $zero:ident $splat:ident $load:ident $store:ident $add:ident $fma:ident,
            first: |$n:ident| $first:expr,
            load_some: |$from:ident, $from_mask:ident| $load_some:expr,
            store_some: |$x:ident, $to:ident, $to_mask:ident| $store_some:expr,
            interleave: |$a:ident, $b:ident| $interleave:expr,
            separate: |$c:ident, $d:ident| $separate:expr,
        ) => {
            // SAFETY (of every block): the instructions are there and the pointers valid, as the trait demands.
            impl Lanes for $V {
                type Number = $E;
                const COUNT: usize = $count;
                type Mask = $Mask;
                #[allow(unused_unsafe)] // a mask that is a number needs none
                #[inline(always)]
                unsafe fn first($n: usize) -> $Mask {
                    unsafe { $first }
                }
                #[inline(always)]
                unsafe fn zero() -> Self {
                    unsafe { $zero() }
                }
                #[inline(always)]
                unsafe fn splat(value: $E) -> Self {
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $E) -> Self {
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $E) {
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn load_some($from: *const $E, $from_mask: $Mask) -> Self {
                    unsafe { $load_some }
                }
                #[inline(always)]
                unsafe fn store_some(self, $to: *mut $E, $to_mask: $Mask) {
                    let $x = self;
                    unsafe { $store_some }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn add_product(self, a: Self, b: Self) -> Self {
                    unsafe { $fma(a, b, self) }
                }
                #[inline(always)]
                unsafe fn interleave(self, other: Self) -> [Self; 2] {
                    let ($a, $b) = (self, other);
                    unsafe { $interleave }
                }
                #[inline(always)]
                unsafe fn separate(self, other: Self) -> [Self; 2] {
                    let ($c, $d) = (self, other);
                    unsafe { $separate }
                }
                #[inline(always)]
                unsafe fn prefetch(soon: *const $E) {
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(soon.cast()) }
                }
            }
        };
    }

    lanes! {
        __m512: 16 of f32, __mmask16,
        _mm512_setzero_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps,
        first: |n| ((1u32 << n) - 1) as __mmask16,
        load_some: |from, mask| _mm512_maskz_loadu_ps(mask, from),
        store_some: |x, to, mask| _mm512_mask_storeu_ps(to, mask, x),
        interleave: |a, b| {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_or_epi32(low, _mm512_set1_epi32(8));
            [_mm512_permutex2var_ps(a, low, b), _mm512_permutex2var_ps(a, high, b)]
        },
        separate: |a, b| {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_or_epi32(even, _mm512_set1_epi32(1));
            [_mm512_permutex2var_ps(a, even, b), _mm512_permutex2var_ps(a, odd, b)]
        },
    }
    lanes! {
        __m512d: 8 of f64, __mmask8,
        _mm512_setzero_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_fmadd_pd,
        first: |n| ((1u32 << n) - 1) as __mmask8,
        load_some: |from, mask| _mm512_maskz_loadu_pd(mask, from),
        store_some: |x, to, mask| _mm512_mask_storeu_pd(to, mask, x),
        interleave: |a, b| {
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_or_epi64(low, _mm512_set1_epi64(4));
            [_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b)]
        },
        separate: |a, b| {
            let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let odd = _mm512_or_epi64(even, _mm512_set1_epi64(1));
            [_mm512_permutex2var_pd(a, even, b), _mm512_permutex2var_pd(a, odd, b)]
        },
    }
    lanes! {
        __m256: 8 of f32, __m256i,
        _mm256_setzero_ps _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps,
        first: |n| _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
        load_some: |from, mask| _mm256_maskload_ps(from, mask),
        store_some: |x, to, mask| _mm256_maskstore_ps(to, mask, x),
        interleave: |a, b| {
            let (even, odd) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            [_mm256_permute2f128_ps::<0x20>(even, odd), _mm256_permute2f128_ps::<0x31>(even, odd)]
        },
        separate: |a, b| {
            // Two numbers of each are now where one of `f64` would be.
            let (even, odd) = (_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xdd>(a, b));
            let (even, odd) = (_mm256_castps_pd(even), _mm256_castps_pd(odd));
            let [even, odd] = [_mm256_permute4x64_pd::<0xd8>(even), _mm256_permute4x64_pd::<0xd8>(odd)];
            [_mm256_castpd_ps(even), _mm256_castpd_ps(odd)]
        },
    }
    lanes! {
        __m256d: 4 of f64, __m256i,
        _mm256_setzero_pd _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_fmadd_pd,
        first: |n| _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), _mm256_setr_epi64x(0, 1, 2, 3)),
        load_some: |from, mask| _mm256_maskload_pd(from, mask),
        store_some: |x, to, mask| _mm256_maskstore_pd(to, mask, x),
        interleave: |a, b| {
            let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            [_mm256_permute2f128_pd::<0x20>(even, odd), _mm256_permute2f128_pd::<0x31>(even, odd)]
        },
        separate: |a, b| {
            let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            [_mm256_permute4x64_pd::<0xd8>(even), _mm256_permute4x64_pd::<0xd8>(odd)]
        },
    }
}

/// Numbers side by side, of which the compiler makes whatever vectors it knows of.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct Few<E, const N: usize>([E; N]);

// SAFETY (of every block): the pointers are valid, as the trait demands.
impl<E: Element, const N: usize> Lanes for Few<E, N> {
    type Number = E;
    const COUNT: usize = N;
    type Mask = usize;
    #[inline(always)]
    unsafe fn first(count: usize) -> usize {
        count
    }
    #[inline(always)]
    unsafe fn zero() -> Self {
        Few([E::zero(); N])
    }
    #[inline(always)]
    unsafe fn splat(value: E) -> Self {
        Few([value; N])
    }
    #[inline(always)]
    unsafe fn load(from: *const E) -> Self {
        Few(unsafe { from.cast::<[E; N]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut E) {
        unsafe { to.cast::<[E; N]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn load_some(from: *const E, count: usize) -> Self {
        if count == N {
            return unsafe { Self::load(from) };
        }
        let mut some = [E::zero(); N];
        for (i, x) in some[..count].iter_mut().enumerate() {
            *x = unsafe { *from.add(i) };
        }
        Few(some)
    }
    #[inline(always)]
    unsafe fn store_some(self, to: *mut E, count: usize) {
        if count == N {
            return unsafe { self.store(to) };
        }
        for (i, &x) in self.0[..count].iter().enumerate() {
            unsafe { *to.add(i) = x };
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        let mut sums = self.0;
        for i in 0..N {
            sums[i] += other.0[i];
        }
        Few(sums)
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        let mut sums = self.0;
        for i in 0..N {
            sums[i] = if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
                a.0[i].mul_add(b.0[i], sums[i])
            } else {
                sums[i] + a.0[i] * b.0[i]
            };
        }
        Few(sums)
    }
    #[inline(always)]
    unsafe fn interleave(self, other: Self) -> [Self; 2] {
        let mut halves = [Few([E::zero(); N]); 2];
        for i in 0..N {
            halves[2 * i / N].0[2 * i % N] = self.0[i];
            halves[2 * i / N].0[2 * i % N + 1] = other.0[i];
        }
        halves
    }
    #[inline(always)]
    unsafe fn separate(self, other: Self) -> [Self; 2] {
        let mut parts = [Few([E::zero(); N]); 2];
        for i in 0..N / 2 {
            for (start, part) in parts.iter_mut().enumerate() {
                part.0[i] = self.0[2 * i + start];
                part.0[N / 2 + i] = other.0[2 * i + start];
            }
        }
        parts
    }
}
