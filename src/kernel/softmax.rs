//! Softmax, its logarithm, and the logarithm of its denominator, along one axis.
//!
//! All subtract the largest value first, so that nothing overflows. A NaN is left out there: it comes back in the sum.

use super::lanes::Lanes;
use super::map::Pointwise;
use super::sum::{self, Pairs, Products, Values};
use super::wide::widest;
use super::{map, parallel};
use crate::element::Element;
use crate::shape::Split;
use crate::storage::Buffer;
use num_traits::Float;
use std::marker::PhantomData;

/// What is done to the lines along the axis.
pub(super) trait Lines<E: Element>: Sync {
    /// Whether the output holds nothing that is read.
    const FRESH: bool;
    /// The line with this number, whose values lie side by side: writes its part of the output.
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize);
    /// Lines beside each other, in this block of the outermost axis: writes to their places in the block's part.
    fn columns<V: Lanes<Element = E>>(&self, out: &mut [E], block: usize, lines: Columns<V>);
}

/// Fills `out`, which has `per_line` elements for each line.
pub(super) fn along<E: Element, L: Lines<E>>(
    split: Split,
    out: &mut [E],
    per_line: usize,
    work: &L,
) {
    let Split { len, inner, .. } = split;
    let block = per_line * inner;
    if block == 0 {
        return;
    }
    let each = (parallel::CHUNK / (len * inner).max(1)).max(1);
    let elements = out.len() / per_line * len;
    let work = |start: usize, piece: &mut [E]| {
        blocks(work, piece, start / block, [block, len, inner]);
    };
    if L::FRESH {
        parallel::fresh_rows(out, [block, each * block], elements, &[], &work);
    } else {
        parallel::rows(out, each * block, elements, &work);
    }
}

widest! {
    /// Works on the blocks of a piece of the output, from the first one's number on.
    fn blocks<E; L: Lines<E>>(work: &L, piece: &mut [E], first: usize, sizes: [usize; 3]) = blocks_in in lanes;
}

#[inline(always)]
fn blocks_in<E: Element, V: Lanes<Element = E>, L: Lines<E>>(
    work: &L,
    piece: &mut [E],
    first: usize,
    [block, len, inner]: [usize; 3],
) {
    for (number, out) in (first..).zip(piece.chunks_exact_mut(block)) {
        if inner == 1 {
            work.row::<V>(out, number);
            continue;
        }
        for start in (0..inner).step_by(V::COUNT) {
            let count = V::COUNT.min(inner - start);
            let lines = Columns::<V> {
                start,
                step: inner,
                len,
                count,
                lanes: PhantomData,
            };
            work.columns(out, number, lines);
        }
    }
}

/// Lines beside each other, as many as there are lanes or fewer.
#[derive(Clone, Copy)]
pub(super) struct Columns<V> {
    pub(super) start: usize,
    pub(super) step: usize,
    pub(super) len: usize,
    pub(super) count: usize,
    lanes: PhantomData<V>,
}

impl<V: Lanes> Columns<V> {
    /// The values at one place along the axis.
    #[inline(always)]
    pub(super) fn get(&self, x: &[V::Element], i: usize) -> V {
        let x = &x[self.start + i * self.step..][..self.count];
        if self.count == V::COUNT {
            V::load(x)
        } else {
            V::load_part(x)
        }
    }

    /// Writes the values at one place along the axis.
    #[inline(always)]
    pub(super) fn set(&self, out: &mut [V::Element], i: usize, values: V) {
        self.put(&mut out[self.start + i * self.step..][..self.count], values);
    }

    /// Writes one value of each line to a place of its own.
    #[inline(always)]
    pub(super) fn put(&self, out: &mut [V::Element], values: V) {
        if self.count == V::COUNT {
            values.store(out)
        } else {
            values.store_part(out)
        }
    }

    /// The largest values, apart from NaN; −∞ for none.
    #[inline(always)]
    fn max(&self, x: &[V::Element]) -> V {
        let mut max = V::of(f64::NEG_INFINITY);
        for i in 0..self.len {
            max = self.get(x, i).or_larger(max);
        }
        max
    }

    /// The sums of the terms, in blocks and pairs of blocks.
    #[inline(always)]
    pub(super) fn sum(&self, mut terms: impl Along<V>) -> V {
        /// Places added up without splitting, in four sums.
        const BLOCK: usize = 128;
        let mut sums = Pairs::new(V::of(0.0));
        for start in (0..self.len).step_by(BLOCK) {
            let mut parts = [V::of(0.0); 4];
            for i in start..self.len.min(start + BLOCK) {
                parts[i % 4] = parts[i % 4] + terms.term(self, i);
            }
            sums.push((parts[0] + parts[2]) + (parts[1] + parts[3]));
        }
        sums.total()
    }
}

/// What is added up along lines. (A trait of its own and not `Fn`: closures are not compiled for wider vectors.)
pub(super) trait Along<V> {
    fn term(&mut self, lines: &Columns<V>, i: usize) -> V;
}

impl<V: Lanes> Along<V> for Values<'_, V::Element> {
    #[inline(always)]
    fn term(&mut self, lines: &Columns<V>, i: usize) -> V {
        lines.get(self.0, i)
    }
}

impl<V: Lanes> Along<V> for Products<'_, V::Element> {
    #[inline(always)]
    fn term(&mut self, lines: &Columns<V>, i: usize) -> V {
        lines.get(self.0, i) * lines.get(self.1, i)
    }
}

/// exp(x − shift), written to `out` if there is one.
struct Exponentials<'a, V: Lanes> {
    x: &'a [V::Element],
    shift: V,
    out: Option<&'a mut [V::Element]>,
}
impl<V: Lanes> Along<V> for Exponentials<'_, V> {
    #[inline(always)]
    fn term(&mut self, lines: &Columns<V>, i: usize) -> V {
        let power = (lines.get(self.x, i) - self.shift).exp();
        if let Some(out) = &mut self.out {
            lines.set(out, i, power);
        }
        power
    }
}

/// The largest value, apart from NaN; −∞ for none.
#[inline(always)]
pub(super) fn largest<V: Lanes>(x: &[V::Element]) -> V::Element {
    /// Independent maxima.
    const MANY: usize = 8;
    let mut maxima = [V::of(f64::NEG_INFINITY); MANY];
    let mut chunks = x.chunks_exact(MANY * V::COUNT);
    for chunk in &mut chunks {
        for (max, x) in maxima.iter_mut().zip(chunk.chunks_exact(V::COUNT)) {
            *max = V::load(x).or_larger(*max);
        }
    }
    let mut rest = chunks.remainder().chunks_exact(V::COUNT);
    for (max, x) in maxima.iter_mut().zip(&mut rest) {
        *max = V::load(x).or_larger(*max);
    }
    let mut max = maxima[0];
    for &other in &maxima[1..] {
        max = other.or_larger(max);
    }
    let values = rest.remainder().iter().copied();
    values.fold(max.largest(), |max, x| if x > max { x } else { max })
}

/// The largest value that is safe to subtract: an infinite one would turn infinities into NaN.
#[inline(always)]
fn shift<V: Lanes>(max: V) -> V {
    max.abs().if_less(V::of(f64::INFINITY), max, V::of(0.0))
}

/// The largest value of a row that is safe to subtract.
#[inline(always)]
fn row_shift<V: Lanes>(x: &[V::Element]) -> V::Element {
    let max = largest::<V>(x);
    if max.is_infinite() {
        V::Element::of(0.0)
    } else {
        max
    }
}

/// Writes exp(x − shift) for every value of a row; returns their sum.
#[inline(always)]
fn exponentials<V: Lanes>(
    x: &[V::Element],
    shift: V::Element,
    out: &mut [V::Element],
) -> V::Element {
    map::write_each::<_, V, _>(x, out, &Shifted(shift));
    sum::of_values::<_, V>(out)
}

/// exp(x − shift)
struct Shifted<E>(E);
impl<E: Element> Pointwise<E, 1> for Shifted<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x]: [V; 1]) -> V {
        (x - V::splat(self.0)).exp()
    }
}

struct Softmax<'a, E>(&'a [E]);

impl<E: Element> Lines<E> for Softmax<'_, E> {
    const FRESH: bool = true;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize) {
        let x = &self.0[number * out.len()..][..out.len()];
        let sum = exponentials::<V>(x, row_shift::<V>(x), out);
        scale::<V>(out, sum.recip());
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, out: &mut [E], block: usize, lines: Columns<V>) {
        let x = &self.0[block * out.len()..][..out.len()];
        let max = shift(lines.max(x));
        let sum = lines.sum(Exponentials {
            x,
            shift: max,
            out: Some(out),
        });
        let scale = V::of(1.0) / sum;
        for i in 0..lines.len {
            lines.set(out, i, lines.get(out, i) * scale);
        }
    }
}

/// Multiplies a row by a number.
#[inline(always)]
pub(super) fn scale<V: Lanes>(row: &mut [V::Element], factor: V::Element) {
    map::update_each::<_, V, _>(row, &Times(factor));
}

/// x·factor
struct Times<E>(E);
impl<E: Element> Pointwise<E, 1> for Times<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x]: [V; 1]) -> V {
        x * V::splat(self.0)
    }
}

/// exp(x) / Σ exp(x).
pub(crate) fn softmax<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    along(split, out.fresh(), split.len, &Softmax(x));
    out
}

struct SoftmaxBackward<'a, E>(&'a [E]);

impl<E: Element> Lines<E> for SoftmaxBackward<'_, E> {
    const FRESH: bool = false;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, grad: &mut [E], number: usize) {
        let y = &self.0[number * grad.len()..][..grad.len()];
        let dot = sum::of_terms::<V>(Products(grad, y));
        map::update_each_with::<_, V, _>(grad, y, &SoftmaxSlope(dot));
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, grad: &mut [E], block: usize, lines: Columns<V>) {
        let y = &self.0[block * grad.len()..][..grad.len()];
        let dot = lines.sum(Products(grad, y));
        for i in 0..lines.len {
            lines.set(grad, i, lines.get(y, i) * (lines.get(grad, i) - dot));
        }
    }
}

/// y·(g − Σ g·y), given the sum.
struct SoftmaxSlope<E>(E);
impl<E: Element> Pointwise<E, 2> for SoftmaxSlope<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [g, y]: [V; 2]) -> V {
        y * (g - V::splat(self.0))
    }
}

/// y·(g − Σ g·y), where y is the softmax.
pub(crate) fn softmax_backward<E: Element>(
    mut grad: Buffer<E>,
    y: &[E],
    split: Split,
) -> Buffer<E> {
    along(split, grad.make_mut(), split.len, &SoftmaxBackward(y));
    grad
}

struct LogSoftmax<'a, E>(&'a [E]);

impl<E: Element> Lines<E> for LogSoftmax<'_, E> {
    const FRESH: bool = true;
    // In this order the large parts cancel before the small one is subtracted.
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize) {
        let x = &self.0[number * out.len()..][..out.len()];
        let max = row_shift::<V>(x);
        let log = exponentials::<V>(x, max, out).ln();
        map::write_each::<_, V, _>(x, out, &Less(max, log));
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, out: &mut [E], block: usize, lines: Columns<V>) {
        let x = &self.0[block * out.len()..][..out.len()];
        let max = shift(lines.max(x));
        let log = lines
            .sum(Exponentials {
                x,
                shift: max,
                out: None,
            })
            .ln();
        for i in 0..lines.len {
            lines.set(out, i, (lines.get(x, i) - max) - log);
        }
    }
}

/// (x − max) − log
struct Less<E>(E, E);
impl<E: Element> Pointwise<E, 1> for Less<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x]: [V; 1]) -> V {
        (x - V::splat(self.0)) - V::splat(self.1)
    }
}

/// x − ln Σ exp(x).
pub(crate) fn log_softmax<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    along(split, out.fresh(), split.len, &LogSoftmax(x));
    out
}

struct LogSoftmaxBackward<'a, E>(&'a [E]);

impl<E: Element> Lines<E> for LogSoftmaxBackward<'_, E> {
    const FRESH: bool = false;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, grad: &mut [E], number: usize) {
        let y = &self.0[number * grad.len()..][..grad.len()];
        let sum = sum::of_values::<_, V>(grad);
        // Where one is NaN, all are. What does not count, as an ignored row, gets no gradient then either.
        let nan = y.first().is_some_and(|y| y.is_nan());
        if !(nan && sum == E::zero()) {
            map::update_each_with::<_, V, _>(grad, y, &LogSoftmaxSlope(sum));
        }
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, grad: &mut [E], block: usize, lines: Columns<V>) {
        let y = &self.0[block * grad.len()..][..grad.len()];
        let sum = lines.sum(Values(grad));
        for i in 0..lines.len {
            let (g, y, zero) = (lines.get(grad, i), lines.get(y, i), V::of(0.0));
            let slope = g - y.exp() * sum;
            let of_nan = sum.if_nan(slope, zero.if_less(sum.abs(), slope, g));
            lines.set(grad, i, y.if_nan(of_nan, slope));
        }
    }
}

/// g − exp(y)·Σ g, given the sum.
struct LogSoftmaxSlope<E>(E);
impl<E: Element> Pointwise<E, 2> for LogSoftmaxSlope<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [g, y]: [V; 2]) -> V {
        g - y.exp() * V::splat(self.0)
    }
}

/// g − exp(y)·Σ g, where y is the log-softmax.
pub(crate) fn log_softmax_backward<E: Element>(
    mut grad: Buffer<E>,
    y: &[E],
    split: Split,
) -> Buffer<E> {
    along(split, grad.make_mut(), split.len, &LogSoftmaxBackward(y));
    grad
}

struct LogSumExp<'a, E>(&'a [E], Split);

impl<E: Element> Lines<E> for LogSumExp<'_, E> {
    const FRESH: bool = true;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize) {
        let x = &self.0[number * self.1.len..][..self.1.len];
        let max = row_shift::<V>(x);
        let (mut sums, mut powers) = (Pairs::new(E::zero()), [E::zero(); sum::BLOCK]);
        for x in x.chunks(sum::BLOCK) {
            sums.push(exponentials::<V>(x, max, &mut powers[..x.len()]));
        }
        out[0] = max + sums.total().ln();
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, out: &mut [E], block: usize, lines: Columns<V>) {
        let size = self.1.len * self.1.inner;
        let x = &self.0[block * size..][..size];
        let max = shift(lines.max(x));
        let log = lines
            .sum(Exponentials {
                x,
                shift: max,
                out: None,
            })
            .ln();
        lines.set(out, 0, max + log);
    }
}

/// ln Σ exp(x); −∞ for an axis of nothing but −∞, or of nothing.
pub(crate) fn logsumexp<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(split.outer * split.inner);
    along(split, out.fresh(), 1, &LogSumExp(x, split));
    out
}

struct CrossEntropy<'a, E> {
    x: &'a [E],
    targets: &'a [usize],
    losses: parallel::Parts<'a, E>,
}

impl<E: Element> Lines<E> for CrossEntropy<'_, E> {
    const FRESH: bool = true;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize) {
        let x = &self.x[number * out.len()..][..out.len()];
        let max = row_shift::<V>(x);
        let sum = exponentials::<V>(x, max, out);
        scale::<V>(out, sum.recip());
        // SAFETY: every row is visited once.
        let loss = unsafe { self.losses.part(number..number + 1) };
        // The large parts cancel before the small one joins.
        loss[0] = sum.ln() - (x[self.targets[number]] - max);
    }
    fn columns<V: Lanes<Element = E>>(&self, _: &mut [E], _: usize, _: Columns<V>) {
        unreachable!("classes lie side by side")
    }
}

/// For each row of `classes` scores ln Σ exp(x) − x[target], and the softmax of the row.
pub(crate) fn cross_entropy<E: Element>(
    x: &[E],
    targets: &[usize],
    classes: usize,
) -> (Buffer<E>, Buffer<E>) {
    let (mut losses, mut probabilities) = (Buffer::dirty(targets.len()), Buffer::dirty(x.len()));
    let split = Split {
        outer: targets.len(),
        len: classes,
        inner: 1,
    };
    let losses_of_rows = parallel::Parts::new(losses.fresh());
    let work = CrossEntropy {
        x,
        targets,
        losses: losses_of_rows,
    };
    along(split, probabilities.fresh(), classes, &work);
    (losses, probabilities)
}
