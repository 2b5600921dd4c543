//! Sums that stay accurate at any length.
//!
//! Pairwise summation (Higham, Accuracy and Stability of Numerical Algorithms, 4.2): halves are summed
//! apart, so the rounding error grows with the logarithm of the length, not with the length.

use super::lanes::{Lanes, Scalar};
use super::wide::widest;
use crate::element::Element;
use crate::storage::Buffer;
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
pub(super) const TILE: usize = 1024;
/// Rows that are added in pairs, all in registers.
const ROWS: usize = 1 << BIT;
/// See [`ROWS`].
const BIT: usize = 4;
/// Rows that are shorter are added side by side.
const NARROW: usize = 128;

/// What is added up along columns.
trait Down<V: Lanes>: Copy {
    /// The terms of values in the column `i` and those behind it.
    fn of(self, values: V, i: usize) -> V;
}

#[derive(Clone, Copy)]
struct Plainly;
impl<V: Lanes> Down<V> for Plainly {
    #[inline(always)]
    fn of(self, values: V, _: usize) -> V {
        values
    }
}

#[derive(Clone, Copy)]
struct By<F>(F);
impl<E: Element, F: Fn(E, usize) -> E + Copy> Down<Scalar<E, false>> for By<F> {
    #[inline(always)]
    fn of(self, values: Scalar<E, false>, i: usize) -> Scalar<E, false> {
        Scalar(self.0(values.0, i))
    }
}

/// Columns of a matrix that lies row by row.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a, E> {
    pub(super) matrix: &'a [E],
    /// The length of a row.
    pub(super) width: usize,
    /// The first column that counts.
    pub(super) first: usize,
}

impl<'a, E> Columns<'a, E> {
    /// `count` columns of a row.
    #[inline(always)]
    fn row(self, row: usize, count: usize) -> &'a [E] {
        &self.matrix[row * self.width + self.first..][..count]
    }
}

/// Adds up as many columns as there are places in `out`: of `f(value, i)`, where `i` counts the columns that are meant.
pub(super) fn sum_rows_by<E: Element>(
    x: Columns<'_, E>,
    out: &mut [E],
    f: &impl Fn(E, usize) -> E,
) {
    down::<Scalar<E, false>>(x, out, By(f));
}

widest! {
    /// Adds up as many columns as there are places in `out`.
    pub(super) fn sum_rows<E>(x: Columns<'_, E>, out: &mut [E]) = sum_rows_in in lanes;
}

#[inline(always)]
fn sum_rows_in<E: Element, V: Lanes<Element = E>>(x: Columns<'_, E>, out: &mut [E]) {
    let width = out.len();
    let together = NARROW.div_ceil(width.max(1)).next_power_of_two();
    let rows = x.matrix.len() / x.width.max(1);
    if together == 1 || width != x.width || rows < 2 * together {
        return down::<V>(x, out, Plainly);
    }
    // Several rows are one, whose columns are added up in the end.
    let (even, rest) = x.matrix.split_at(rows / together * together * width);
    let mut sums = [E::zero(); 2 * NARROW];
    let sums = &mut sums[..together * width];
    let rows_together = Columns {
        matrix: even,
        width: together * width,
        first: 0,
    };
    down::<V>(rows_together, sums, Plainly);
    let mut count = together;
    while count > 1 {
        count /= 2;
        let (sums, others) = sums.split_at_mut(count * width);
        sums.iter_mut()
            .zip(others)
            .for_each(|(sum, &mut other)| *sum += other);
    }
    down::<V>(Columns { matrix: rest, ..x }, out, Plainly);
    out.iter_mut()
        .zip(&*sums)
        .for_each(|(out, &sum)| *out += sum);
}

/// The sums of columns: of blocks of rows, then of pairs of blocks, of pairs of those, and so on.
#[inline(always)]
fn down<V: Lanes>(x: Columns<'_, V::Element>, out: &mut [V::Element], terms: impl Down<V>) {
    let (rows, n) = (x.matrix.len() / x.width.max(1), out.len());
    out.fill(V::Element::zero());
    if rows == 0 || n == 0 {
        return;
    }
    // The sum of 2ⁱ rows, where bit i of the count of rows is set, behind a row of zeros.
    let mut sums = Buffer::dirty(n * (rows.ilog2() as usize + 2));
    let (zeros, sums) = sums.fresh().split_at_mut(n);
    zeros.fill(V::Element::zero());
    // The rows behind the last block, from the end on: eight, four, two and one at most.
    const { assert!(BIT == 4) };
    let mut start = rows;
    for bit in 0..BIT {
        let (count, sum) = (1 << bit, bit * n..(bit + 1) * n);
        if rows & count == 0 {
            continue;
        }
        start -= count;
        match count {
            1 => add_rows::<V, 1>(x, start, zeros, &mut sums[sum], terms),
            2 => add_rows::<V, 2>(x, start, zeros, &mut sums[sum], terms),
            4 => add_rows::<V, 4>(x, start, zeros, &mut sums[sum], terms),
            _ => add_rows::<V, 8>(x, start, zeros, &mut sums[sum], terms),
        }
    }
    // As `Pairs`, for all columns at once.
    for block in 0..rows / ROWS {
        let level = block.trailing_ones() as usize;
        let (lower, sum) = sums[BIT * n..].split_at_mut(level * n);
        let (before, sum) = (lower.get(..n).unwrap_or(zeros), &mut sum[..n]);
        add_rows::<V, ROWS>(x, block * ROWS, before, sum, terms);
        for lower in lower.chunks_exact(n).skip(1) {
            add_to(sum, lower);
        }
    }
    for (bit, sum) in sums.chunks_exact(n).enumerate() {
        if rows >> bit & 1 == 1 {
            add_to(out, sum);
        }
    }
}

#[inline(always)]
fn add_to<E: Element>(sums: &mut [E], others: &[E]) {
    for (sum, &other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// Writes the sums of `N` rows from `start` on and of what is there `before`.
#[inline(always)]
fn add_rows<V: Lanes, const N: usize>(
    x: Columns<'_, V::Element>,
    start: usize,
    before: &[V::Element],
    sums: &mut [V::Element],
    terms: impl Down<V>,
) {
    let n = sums.len();
    let before = &before[..n];
    let mut rows = [before; N];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = x.row(start + k, n);
    }
    let whole = n / V::COUNT * V::COUNT;
    let mut values = [V::of(0.0); N];
    for i in (0..whole).step_by(V::COUNT) {
        for (value, row) in values.iter_mut().zip(rows) {
            *value = terms.of(V::load_near(&row[i..]), i);
        }
        (V::load_near(&before[i..]) + in_pairs(values)).store(&mut sums[i..]);
    }
    if V::COUNT > 1 && whole < n {
        for (value, row) in values.iter_mut().zip(rows) {
            *value = terms.of(V::load_part(&row[whole..]), whole);
        }
        let before = V::load_part(&before[whole..]);
        (before + in_pairs(values)).store_part(&mut sums[whole..]);
    }
}

/// The sum of a power of two of terms.
#[inline(always)]
pub(super) fn in_pairs<V: Lanes, const N: usize>(mut values: [V; N]) -> V {
    let mut step = 1;
    while step < N {
        for i in (0..N).step_by(2 * step) {
            values[i] = values[i] + values[i + step];
        }
        step *= 2;
    }
    values[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns<E>(matrix: &[E], width: usize) -> Columns<'_, E> {
        Columns {
            matrix,
            width,
            first: 0,
        }
    }

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
            sum_rows_by(columns(&x, width), &mut out, &|v, i| v + i as f64);
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
        sum_rows(columns(&x, 1), &mut out);
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
            sum_rows(
                super::Columns {
                    matrix: &columns,
                    width: 9,
                    first: 0,
                },
                &mut out,
            );
            assert!(out.into_iter().all(near), "place {place}");
        }
    }
}
