//! Sums that stay accurate at any length.
//!
//! Pairwise summation (Higham, Accuracy and Stability of Numerical Algorithms, 4.2): halves are summed
//! apart, so the rounding error grows with the logarithm of the length, not with the length.

use super::lanes::{Lanes, Scalar};
use super::wide::widest;
use crate::element::Element;
use num_traits::Zero;
use std::ops::{Add, Range};

/// Independent partial sums, enough to fill the widest vector registers.
const LANES: usize = 32;
/// Rows of [`LANES`] terms that are added in pairs, all in registers.
const LEAF: usize = 8;
/// Terms whose lanes are added up before the lanes are.
pub(super) const BLOCK: usize = 2 * LEAF * LANES;

/// Numbers to be added up.
pub(super) trait Terms<V: Lanes>: Copy {
    /// How many.
    fn len(self) -> usize;
    /// Those in a range.
    fn cut(self, range: Range<usize>) -> Self;
    /// As many as there are lanes, from a place on.
    fn at(self, i: usize) -> V;
    /// All of them, if they are fewer than there are lanes, and 0 in the places behind.
    fn few(self) -> V;
}

/// The values of a slice.
#[derive(Clone, Copy)]
pub(super) struct Values<'a, E>(pub(super) &'a [E]);

impl<V: Lanes> Terms<V> for Values<'_, V::Element> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn cut(self, range: Range<usize>) -> Self {
        Values(&self.0[range])
    }
    #[inline(always)]
    fn at(self, i: usize) -> V {
        V::load(&self.0[i..])
    }
    #[inline(always)]
    fn few(self) -> V {
        V::load_part(self.0)
    }
}

/// The products of the values of two slices of one length.
#[derive(Clone, Copy)]
pub(super) struct Products<'a, E>(pub(super) &'a [E], pub(super) &'a [E]);

impl<V: Lanes> Terms<V> for Products<'_, V::Element> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn cut(self, range: Range<usize>) -> Self {
        Products(&self.0[range.clone()], &self.1[range])
    }
    #[inline(always)]
    fn at(self, i: usize) -> V {
        V::load(&self.0[i..]) * V::load(&self.1[i..])
    }
    #[inline(always)]
    fn few(self) -> V {
        V::load_part(self.0) * V::load_part(self.1)
    }
}

/// A function of the values of a slice.
#[derive(Clone, Copy)]
struct Of<'a, E, F>(&'a [E], F);

impl<E: Element, F: Fn(E) -> E + Copy> Terms<Scalar<E, false>> for Of<'_, E, F> {
    #[inline(always)]
    fn len(self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn cut(self, range: Range<usize>) -> Self {
        Of(&self.0[range], self.1)
    }
    #[inline(always)]
    fn at(self, i: usize) -> Scalar<E, false> {
        Scalar(self.1(self.0[i]))
    }
    #[inline(always)]
    fn few(self) -> Scalar<E, false> {
        Scalar(E::zero())
    }
}

widest! {
    /// The sum of a slice.
    pub(crate) fn sum<E>(x: &[E]) -> E = of_values in lanes;
}

/// The sum of a slice.
#[inline(always)]
pub(super) fn of_values<E: Element, V: Lanes<Element = E>>(x: &[E]) -> E {
    of_terms::<V>(Values(x))
}

/// The sum of `f(x)` over a slice.
pub(crate) fn sum_by<E: Element>(x: &[E], f: impl Fn(E) -> E) -> E {
    of_terms::<Scalar<E, false>>(Of(x, &f))
}

/// The sum of terms: of blocks, then of pairs of blocks, of pairs of those, and so on.
#[inline(always)]
pub(super) fn of_terms<V: Lanes>(terms: impl Terms<V>) -> V::Element {
    let mut sums = Pairs::new(V::Element::zero());
    for start in (0..terms.len()).step_by(BLOCK) {
        let end = terms.len().min(start + BLOCK);
        sums.push(block(terms.cut(start..end)));
    }
    sums.total()
}

/// The sum of no more terms than a block has: of those [`LANES`] apart, and then of these sums.
#[inline(always)]
fn block<V: Lanes>(terms: impl Terms<V>) -> V::Element {
    const { assert!(LANES.is_multiple_of(V::COUNT)) };
    // The first ones are enough.
    let mut sums = [V::of(0.0); LANES];
    let sums = &mut sums[..LANES / V::COUNT];
    let mut at = 0;
    while at + LEAF * LANES <= terms.len() {
        let leaf = terms.cut(at..at + LEAF * LANES);
        for (k, sum) in sums.iter_mut().enumerate() {
            let k = k * V::COUNT;
            let first = (leaf.at(k) + leaf.at(k + LANES))
                + (leaf.at(k + 2 * LANES) + leaf.at(k + 3 * LANES));
            let second = (leaf.at(k + 4 * LANES) + leaf.at(k + 5 * LANES))
                + (leaf.at(k + 6 * LANES) + leaf.at(k + 7 * LANES));
            *sum = *sum + (first + second);
        }
        at += LEAF * LANES;
    }
    while at + LANES <= terms.len() {
        let row = terms.cut(at..at + LANES);
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = *sum + row.at(k * V::COUNT);
        }
        at += LANES;
    }
    for sum in &mut *sums {
        if at + V::COUNT <= terms.len() {
            *sum = *sum + terms.at(at);
            at += V::COUNT;
        } else {
            *sum = *sum + terms.cut(at..terms.len()).few();
            break;
        }
    }
    let mut lanes = [V::Element::zero(); LANES];
    for (sum, lanes) in sums.iter().zip(lanes.chunks_exact_mut(V::COUNT)) {
        sum.store(lanes);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            let other = lanes[i + width];
            lanes[i] += other;
        }
        width /= 2;
    }
    lanes[0]
}

/// Levels of pairs, more than any sum needs.
const LEVELS: usize = 40;

/// Adds up numbers that come one after the other in pairs, pairs of pairs and so on. Sums of 2ⁿ that follow each other,
/// added up in turn, give the same.
pub(super) struct Pairs<T> {
    /// The sum of the last 2ⁱ numbers that are not in a larger one, where bit i of the count is set.
    sums: [T; LEVELS],
    count: usize,
    zero: T,
}

impl<T: Copy + Add<Output = T>> Pairs<T> {
    #[inline(always)]
    pub(super) fn new(zero: T) -> Self {
        Pairs {
            sums: [zero; LEVELS],
            count: 0,
            zero,
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, number: T) {
        let level = self.count.trailing_ones() as usize;
        let mut sum = number;
        for &before in &self.sums[..level] {
            sum = before + sum;
        }
        self.sums[level] = sum;
        self.count += 1;
    }

    #[inline(always)]
    pub(super) fn total(&self) -> T {
        let (mut sum, mut left) = (self.zero, self.count);
        while left > 0 {
            sum = self.sums[left.trailing_zeros() as usize] + sum;
            left &= left - 1;
        }
        sum
    }
}

/// Columns summed together: partial sums of this width stay in the nearest cache.
const TILE: usize = 64;
/// The width of the partial sums where there are no more columns than this.
const NARROW: usize = 8;
/// Rows that are added in pairs, all in registers.
const ROWS: usize = 4;

/// Adds up the rows of a matrix of `out.len()` columns: `out[i]` becomes the sum of `f(row[i], i)`.
pub(super) fn sum_rows<E: Element>(x: &[E], out: &mut [E], f: &impl Fn(E, usize) -> E) {
    let width = out.len();
    if width == 0 {
        return;
    }
    let rows = x.len() / width;
    if width <= NARROW {
        return columns::<E, NARROW>(x, width, 0, 0..rows, out, f);
    }
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        columns::<E, TILE>(x, width, tile * TILE, 0..rows, out, f);
    }
}

/// Adds up `rows` from column `first` on; there are no more than `T` columns.
fn columns<E: Element, const T: usize>(
    x: &[E],
    width: usize,
    first: usize,
    rows: std::ops::Range<usize>,
    out: &mut [E],
    f: &impl Fn(E, usize) -> E,
) {
    if rows.len() > ROWS {
        let half = rows.start + (rows.len() / 2).next_multiple_of(ROWS);
        columns::<E, T>(x, width, first, rows.start..half, out, f);
        let mut second = [E::zero(); T];
        let second = &mut second[..out.len()];
        columns::<E, T>(x, width, first, half..rows.end, second, f);
        for (out, &value) in out.iter_mut().zip(&*second) {
            *out += value;
        }
        return;
    }
    let n = out.len();
    let row = |row: usize| &x[row * width + first..][..n];
    if rows.len() == ROWS {
        let (a, b) = (row(rows.start), row(rows.start + 1));
        let (c, d) = (row(rows.start + 2), row(rows.start + 3));
        for (i, out) in out.iter_mut().enumerate() {
            let f = |value| f(value, first + i);
            *out = (f(a[i]) + f(b[i])) + (f(c[i]) + f(d[i]));
        }
        return;
    }
    out.fill(E::zero());
    for values in rows.map(row) {
        for (i, (out, &value)) in out.iter_mut().zip(values).enumerate() {
            *out += f(value, first + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_summed_exactly() {
        for len in (0..2000).chain([4095, 4096, 4097, 100_000]) {
            let x: Vec<f64> = (0..len).map(|i| i as f64).collect();
            assert_eq!(
                sum_by(&x, |v| v),
                (len as f64 - 1.0) * len as f64 / 2.0,
                "length {len}"
            );
        }
    }

    #[test]
    fn columns_are_summed_exactly_at_every_size() {
        for (rows, width) in [(0, 3), (1, 1), (33, 1), (64, 65), (1000, 130), (65, 200)] {
            let x: Vec<f64> = (0..rows * width).map(|i| i as f64).collect();
            let mut out = vec![7.0; width];
            sum_rows(&x, &mut out, &|v, i| v + i as f64);
            for (i, &sum) in out.iter().enumerate() {
                let right: usize = (0..rows).map(|r| r * width + 2 * i).sum();
                assert_eq!(sum, right as f64, "{rows} x {width}, column {i}");
            }
        }
    }

    #[test]
    fn sixteen_million_ones_lose_nothing() {
        let x = vec![1.0f32; (1 << 24) + 1000];
        assert_eq!(sum_by(&x, |v| v), 16_778_216.0);
        let mut out = [0.0];
        sum_rows(&x, &mut out, &|v, _| v);
        assert_eq!(out[0], 16_778_216.0);
    }

    #[test]
    fn ones_beside_a_large_number_are_not_lost() {
        const LARGE: f32 = 16_777_216.0;
        for place in [0, 1, 255, 256, 500, 800, 1000] {
            let mut x = vec![1.0f32; 1001];
            x[place] = LARGE;
            let near = |sum: f32| (sum - (LARGE + 1000.0)).abs() <= 8.0;
            assert!(near(sum_by(&x, |v| v)), "place {place}");
            let columns: Vec<f32> = x.iter().flat_map(|&v| [v; 9]).collect();
            let mut out = [0.0; 9];
            sum_rows(&columns, &mut out, &|v, _| v);
            assert!(out.into_iter().all(near), "place {place}");
        }
    }
}
