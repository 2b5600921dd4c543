//! Random numbers: a seeded default generator, and how its words become numbers.
//!
//! There is no global generator. Functions that draw take `&mut impl rand_core::Rng`, so the generators
//! of the `rand` crates fit too. The same seed gives the same bits on every platform and for every
//! number of threads.

use crate::element::Element;
use crate::kernel::{self, PAIRS};
use crate::storage::Buffer;
use rand_core::{Rng as _, SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::convert::Infallible;

/// The default generator: xoshiro256++ (Blackman & Vigna 2018), seeded with a single number.
///
/// Fast, small and of good statistical quality; not for cryptography. A clone repeats what the
/// original draws.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let a = Tensor::<1, shape![8]>::randn(&mut Rng::seed(7));
/// let b = Tensor::<1, shape![8]>::randn(&mut Rng::seed(7));
/// assert_eq!(a, b);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// A generator that is determined by `seed`.
    pub fn seed(seed: u64) -> Self {
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A whole number below `bound`, each as likely as the others (Lemire 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    ///
    /// ```
    /// # use shapeproof::Rng;
    /// assert!(Rng::seed(0).below(6) < 6);
    /// ```
    #[track_caller]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no whole number is below 0");
        let bound = bound as u64;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            // Words in the last, incomplete round would favour some numbers.
            if product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }

    /// Puts the items in random order, each order as likely as the others (Fisher & Yates 1938).
    ///
    /// ```
    /// # use shapeproof::Rng;
    /// let mut rows = [0, 1, 2, 3];
    /// Rng::seed(0).shuffle(&mut rows);
    /// rows.sort();
    /// assert_eq!(rows, [0, 1, 2, 3]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for left in (1..items.len()).rev() {
            items.swap(left, self.below(left + 1));
        }
    }
}

impl TryRng for Rng {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// So many of [`unit`].
pub(crate) fn units<E: Element>(len: usize, rng: &mut impl rand_core::Rng) -> Buffer<E> {
    Buffer::from_fn(len, |_| unit(rng))
}

/// So many of [`uniform`].
///
/// # Panics
/// If there is no finite range from `low` to `high`.
#[track_caller]
pub(crate) fn uniforms<E: Element>(
    len: usize,
    low: E,
    high: E,
    rng: &mut impl rand_core::Rng,
) -> Buffer<E> {
    assert!(
        low < high && (high - low).is_finite(),
        "uniform: no finite range from {low} to {high}"
    );
    Buffer::from_fn(len, |_| uniform(low, high, rng))
}

/// So many normal numbers of this mean and standard deviation.
///
/// # Panics
/// If the deviation is negative.
#[track_caller]
pub(crate) fn normals<E: Element>(
    len: usize,
    mean: E,
    std: E,
    rng: &mut impl rand_core::Rng,
) -> Buffer<E> {
    assert!(std >= E::zero(), "normal: a standard deviation of {std}");
    let mut out = Buffer::dirty(len);
    let mut words = [[0; PAIRS]; 2];
    for out in out.fresh().chunks_mut(2 * PAIRS) {
        let [distances, directions] = &mut words;
        for i in 0..out.len().div_ceil(2) {
            (distances[i], directions[i]) = (rng.next_u64(), rng.next_u64());
        }
        kernel::normals(distances, directions, mean, std, out);
    }
    out
}

/// Uniform in `0.0..1.0`.
pub(crate) fn unit<E: Element>(rng: &mut impl rand_core::Rng) -> E {
    E::unit(rng.next_u64())
}

/// Uniform in `low..high`; what rounding lifts to `high` is drawn again.
pub(crate) fn uniform<E: Element>(low: E, high: E, rng: &mut impl rand_core::Rng) -> E {
    loop {
        let value = low + (high - low) * unit(rng);
        if value < high {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_does_not_occur() {
        for word in [
            0,
            1,
            u64::MAX,
            u64::MAX >> 1,
            !0 << 11,
            !0 << 40,
            (1 << 40) - 1,
        ] {
            assert!((0.0..1.0).contains(&f32::unit(word)), "{word:x}");
            assert!((0.0..1.0).contains(&f64::unit(word)), "{word:x}");
        }
        assert_eq!(f32::unit(u64::MAX), 0.99999994);
    }

    #[test]
    fn the_upper_end_does_not_occur() {
        let mut rng = Rng::seed(1);
        let (low, high) = (1.0f32, 1.0 + 2.0 * f32::EPSILON);
        assert!((0..1000).all(|_| uniform(low, high, &mut rng) < high));
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut rng = Rng::seed(3);
        for bound in [1, 2, 3, 7, 10] {
            let mut counts = vec![0; bound];
            (0..bound * 10_000).for_each(|_| counts[rng.below(bound)] += 1);
            // Five standard deviations of a count with mean 10,000.
            assert!(
                counts
                    .iter()
                    .all(|&count: &i32| (count - 10_000).abs() < 500),
                "{counts:?}"
            );
        }
        assert!(rng.below(usize::MAX) < usize::MAX);
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut rng = Rng::seed(4);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            rng.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(
            counts
                .values()
                .all(|&count: &i32| (count - 1000).abs() < 160),
            "{counts:?}"
        );
    }
}
