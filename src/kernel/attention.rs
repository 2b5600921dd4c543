//! Attention without the matrix of scores: block by block of queries and keys, with a softmax whose
//! maximum and sum are corrected as blocks come.
//!
//! The scores of one block are all that is held. Backward computes them again from what forward kept of
//! each query: the number it subtracted and the sum of exponentials. (Their logarithm in one number, as it
//! is often kept, is rounded where scores are large; from these two the same weights come out again.)

use super::gemm::{Operand, Size};
use super::lanes::Lanes;
use super::map::{self, Pointwise};
use super::parallel::{self, Parts};
use super::wide::widest;
use super::{softmax, sum};
use crate::element::{Element, count};
use crate::shape::{Heads, MAX_RANK};
use crate::storage::Buffer;
use std::ops::Range;

/// Queries of a block.
const QUERIES: usize = 64;
/// Keys of a block. Its scores in `f64` take 64 KiB: with the rows they come from they fit a core's own cache.
const KEYS: usize = 128;

/// What is done to the scores before the softmax.
#[derive(Clone, Copy)]
pub(crate) enum Change<'a, E> {
    Nothing,
    /// Scores are hidden where the flag is 0.
    Hide(&'a [u8]),
    Add(&'a [E]),
}

/// Where the element of a smaller tensor stands that is stretched to the scores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretched {
    /// Size and step of each batch axis.
    batch: [(usize, usize); MAX_RANK],
    axes: usize,
    /// From a query to the next.
    row: usize,
    /// From a key to the next.
    column: usize,
}

impl Stretched {
    /// `from` stretches to `scores`, which has at least two axes. Of equal sizes none is stretched; others
    /// are 1, or missing.
    pub(crate) fn new(from: &[usize], scores: &[usize]) -> Self {
        let mut steps = [0; MAX_RANK];
        let (missing, mut step) = (scores.len() - from.len(), 1);
        for i in (missing..scores.len()).rev() {
            let size = from[i - missing];
            steps[i] = if size == scores[i] { step } else { 0 };
            step *= size;
        }
        let axes = scores.len() - 2;
        let mut batch = [(1, 0); MAX_RANK];
        for i in 0..axes {
            batch[i] = (scores[i], steps[i]);
        }
        Stretched {
            batch,
            axes,
            row: steps[axes],
            column: steps[axes + 1],
        }
    }

    /// The place of the first score of a head.
    fn start(&self, mut head: usize) -> usize {
        let mut start = 0;
        for &(size, step) in self.batch[..self.axes].iter().rev() {
            start += head % size * step;
            head /= size;
        }
        start
    }
}

/// Everything an attention reads.
pub(crate) struct Attention<'a, E: Element> {
    pub(crate) heads: Heads,
    pub(crate) queries: &'a [E],
    pub(crate) keys: &'a [E],
    pub(crate) values: &'a [E],
    pub(crate) change: Change<'a, E>,
    pub(crate) stretched: Stretched,
    /// Query i sees the keys 0 to i.
    pub(crate) causal: bool,
}

/// What forward keeps for backward, one number a query each.
pub(crate) struct Softmax<E: Element> {
    /// What was subtracted from the scores.
    pub(crate) shifts: Buffer<E>,
    /// The sums of exponentials; 0 if the query sees no key.
    pub(crate) sums: Buffer<E>,
}

/// The gradients of the queries, keys, values, and of what was added to the scores, where wanted.
pub(crate) type Gradients<E> = [Option<Buffer<E>>; 4];

/// `c = a·b`.
fn put_product<E: Element>(size: Size, a: Operand<'_, E>, b: Operand<'_, E>, c: &mut [E]) {
    if size.m * size.k * size.n > 0 {
        E::gemm(size, a, b, false, c);
    } else {
        c.fill(E::zero());
    }
}

/// `c += a·b`.
fn add_product<E: Element>(size: Size, a: Operand<'_, E>, b: Operand<'_, E>, c: &mut [E]) {
    if size.m * size.k * size.n > 0 {
        E::gemm(size, a, b, true, c);
    }
}

fn blocks(len: usize, step: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len)
        .step_by(step)
        .map(move |start| start..(start + step).min(len))
}

/// The rows of one head at `range`.
fn rows<E>(
    values: &[E],
    head: usize,
    of: usize,
    width: usize,
    range: &Range<usize>,
) -> Range<usize> {
    let start = (head * of + range.start) * width;
    debug_assert!(start + range.len() * width <= values.len());
    start..start + range.len() * width
}

widest! {
    /// The largest of a line of scores and `before`, NaN left out: it comes back in the sum.
    fn largest_score<E>(line: &[E], before: E) -> E = largest_score_in in lanes;
    /// Replaces each score by exp(score − shift); returns their sum.
    fn powers<E>(line: &mut [E], shift: E) -> E = powers_in in lanes;
    /// Replaces scores by weights, and slopes of weights by those of scores, given the shift of the scores, the factor
    /// of the weights and the mean of the slopes.
    fn weigh<E>(weights: &mut [E], slopes: &mut [E], numbers: [E; 3]) = weigh_in in lanes;
    /// The sum of products.
    fn dot<E>(a: &[E], b: &[E]) -> E = dot_in in lanes;
}

#[inline(always)]
fn largest_score_in<E: Element, V: Lanes<Element = E>>(line: &[E], before: E) -> E {
    let max = softmax::largest::<V>(line);
    if max > before { max } else { before }
}

#[inline(always)]
fn powers_in<E: Element, V: Lanes<Element = E>>(line: &mut [E], shift: E) -> E {
    map::update_each::<_, V, _>(line, &Weight(shift, E::one()));
    sum::of_values::<_, V>(line)
}

#[inline(always)]
fn weigh_in<E: Element, V: Lanes<Element = E>>(
    weights: &mut [E],
    slopes: &mut [E],
    [shift, factor, mean]: [E; 3],
) {
    map::update_each::<_, V, _>(weights, &Weight(shift, factor));
    map::update_each_with::<_, V, _>(slopes, weights, &Slope(mean));
}

#[inline(always)]
fn dot_in<E: Element, V: Lanes<Element = E>>(a: &[E], b: &[E]) -> E {
    sum::of_terms::<V>(sum::Products(a, b))
}

/// exp(score − shift)·factor
struct Weight<E>(E, E);
impl<E: Element> Pointwise<E, 1> for Weight<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [score]: [V; 1]) -> V {
        (score - V::splat(self.0)).exp() * V::splat(self.1)
    }
}

/// weight·(slope − mean). What is hidden stays out, even if it is not finite.
struct Slope<E>(E);
impl<E: Element> Pointwise<E, 2> for Slope<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [slope, weight]: [V; 2]) -> V {
        V::of(0.0).if_less(weight, weight * (slope - V::splat(self.0)), weight)
    }
}

impl<E: Element> Attention<'_, E> {
    fn scale(&self) -> E {
        // No width, no scores: the largest finite factor keeps 0 times it at 0.
        count::<E>(self.heads.width.max(1)).sqrt().recip()
    }

    /// The blocks of keys that a block of queries sees some of.
    fn key_blocks(&self, queries: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<E> {
        let end = if self.causal {
            self.heads.keys.min(queries.end)
        } else {
            self.heads.keys
        };
        blocks(end, KEYS)
    }

    fn query_rows(&self, head: usize, queries: &Range<usize>) -> &[E] {
        let Heads {
            queries: of, width, ..
        } = self.heads;
        &self.queries[rows(self.queries, head, of, width, queries)]
    }

    fn key_rows(&self, head: usize, keys: &Range<usize>) -> &[E] {
        let Heads {
            keys: of, width, ..
        } = self.heads;
        &self.keys[rows(self.keys, head, of, width, keys)]
    }

    fn value_rows(&self, head: usize, keys: &Range<usize>) -> &[E] {
        let Heads {
            keys: of,
            values: width,
            ..
        } = self.heads;
        &self.values[rows(self.values, head, of, width, keys)]
    }

    /// The scores of a block, −∞ where they are hidden.
    fn scores(&self, head: usize, queries: &Range<usize>, keys: &Range<usize>, out: &mut [E]) {
        let (width, columns) = (self.heads.width, keys.len());
        put_product(
            Size {
                m: queries.len(),
                k: width,
                n: columns,
            },
            Operand::plain(self.query_rows(head, queries), width),
            Operand::transposed(self.key_rows(head, keys), width),
            out,
        );
        let (scale, hidden) = (self.scale(), E::neg_infinity());
        out.iter_mut().for_each(|score| *score *= scale);
        let Stretched { row, column, .. } = self.stretched;
        let start = self.stretched.start(head);
        for (query, line) in queries.clone().zip(out.chunks_exact_mut(columns)) {
            let place = |i: usize| start + query * row + (keys.start + i) * column;
            match self.change {
                Change::Nothing => {}
                Change::Hide(flags) => {
                    for (i, score) in line.iter_mut().enumerate() {
                        if flags[place(i)] == 0 {
                            *score = hidden;
                        }
                    }
                }
                Change::Add(values) => {
                    for (i, score) in line.iter_mut().enumerate() {
                        *score += values[place(i)];
                    }
                }
            }
            if self.causal {
                let seen = (query + 1).saturating_sub(keys.start).min(columns);
                line[seen..].fill(hidden);
            }
        }
    }

    /// The weighted means of the values, and what backward needs of the softmax.
    pub(crate) fn forward(&self) -> (Buffer<E>, Softmax<E>) {
        let Heads {
            count,
            queries,
            keys,
            values,
            ..
        } = self.heads;
        let mut out = Buffer::dirty(count * queries * values);
        let (mut shifts, mut sums) = (
            Buffer::dirty(count * queries),
            Buffer::dirty(count * queries),
        );
        {
            let out = Parts::new(out.fresh());
            let (shifts, sums) = (Parts::new(shifts.fresh()), Parts::new(sums.fresh()));
            let each = queries.div_ceil(QUERIES);
            parallel::for_each(count * each, count * queries * keys, &|i| {
                let (head, start) = (i / each, i % each * QUERIES);
                let block = start..(start + QUERIES).min(queries);
                let at = head * queries + block.start..head * queries + block.end;
                // SAFETY: each block of queries is visited once, and no two have a query in common.
                let (out, shifts, sums) = unsafe {
                    (
                        out.part(at.start * values..at.end * values),
                        shifts.part(at.clone()),
                        sums.part(at),
                    )
                };
                self.forward_block(head, &block, out, shifts, sums);
            });
        }
        (out, Softmax { shifts, sums })
    }

    fn forward_block(
        &self,
        head: usize,
        queries: &Range<usize>,
        out: &mut [E],
        shifts: &mut [E],
        sums: &mut [E],
    ) {
        let width = self.heads.values;
        let mut scratch = Buffer::dirty(queries.len() * KEYS.min(self.heads.keys));
        let mut largest = [E::neg_infinity(); QUERIES];
        out.fill(E::zero());
        shifts.fill(E::zero());
        sums.fill(E::zero());
        for keys in self.key_blocks(queries) {
            let scores = &mut scratch.fresh()[..queries.len() * keys.len()];
            self.scores(head, queries, &keys, scores);
            for (i, line) in scores.chunks_exact_mut(keys.len()).enumerate() {
                let max = largest_score(line, largest[i]);
                // An infinite number would turn infinities into NaN.
                let shift = if max.is_infinite() { E::zero() } else { max };
                if max != largest[i] {
                    let decay = (largest[i] - shift).exp();
                    sums[i] *= decay;
                    out[i * width..][..width]
                        .iter_mut()
                        .for_each(|o| *o *= decay);
                    largest[i] = max;
                }
                shifts[i] = shift;
                sums[i] += powers(line, shift);
            }
            add_product(
                Size {
                    m: queries.len(),
                    k: keys.len(),
                    n: width,
                },
                Operand::plain(scores, keys.len()),
                Operand::plain(self.value_rows(head, &keys), width),
                out,
            );
        }
        for (i, &sum) in sums.iter().enumerate() {
            let line = &mut out[i * width..][..width];
            if sum == E::zero() {
                // Nothing is seen: zeros, even if a hidden value is not finite.
                line.fill(E::zero());
            } else {
                line.iter_mut().for_each(|o| *o /= sum);
            }
        }
    }

    /// The gradients, given that of the result.
    pub(crate) fn backward(
        &self,
        grad: &[E],
        out: &[E],
        softmax: &Softmax<E>,
        wanted: [bool; 4],
    ) -> Gradients<E> {
        let Heads {
            count,
            queries,
            keys,
            width,
            values,
        } = self.heads;
        let added = match self.change {
            Change::Add(added) => added.len(),
            _ => 0,
        };
        let lens = [
            self.queries.len(),
            self.keys.len(),
            self.values.len(),
            added,
        ];
        let mut gradients: Gradients<E> =
            std::array::from_fn(|i| wanted[i].then(|| Buffer::filled(lens[i], E::zero())));
        let [to_queries, to_keys, to_values, added] = &mut gradients;
        let parts =
            |buffer| Option::map(buffer, |buffer: &mut Buffer<E>| Parts::new(buffer.fresh()));
        let to = [to_queries, to_keys, to_values].map(|buffer| parts(buffer.as_mut()));
        let sizes = [queries * width, keys * width, keys * values];
        let head = |head: usize, added: Option<&mut [E]>| {
            let mut parts = to.iter().zip(sizes).map(|(to, size)| {
                // SAFETY: each head is visited once, and no two have an element in common.
                to.as_ref()
                    .map(|to| unsafe { to.part(head * size..(head + 1) * size) })
            });
            let to = std::array::from_fn(|_| parts.next().flatten());
            self.backward_head(head, grad, out, softmax, to, added);
        };
        if let Some(added) = added {
            // Heads may share what was added.
            let added = added.fresh();
            (0..count).for_each(|i| head(i, Some(added)));
        } else {
            parallel::for_each(count, count * queries * keys, &|i| head(i, None));
        }
        gradients
    }

    fn backward_head(
        &self,
        head: usize,
        grad: &[E],
        out: &[E],
        softmax: &Softmax<E>,
        [mut to_queries, mut to_keys, mut to_values]: [Option<&mut [E]>; 3],
        mut added: Option<&mut [E]>,
    ) {
        let Heads {
            queries: of,
            width,
            values,
            ..
        } = self.heads;
        let size = QUERIES.min(of) * KEYS.min(self.heads.keys);
        let (mut weights, mut slopes) = (Buffer::dirty(size), Buffer::dirty(size));
        let scale = self.scale();
        for queries in blocks(of, QUERIES) {
            let at = rows(grad, head, of, values, &queries);
            let (grad, out) = (&grad[at.clone()], &out[at]);
            for keys in self.key_blocks(&queries) {
                let (m, n) = (queries.len(), keys.len());
                let weights = &mut weights.fresh()[..m * n];
                let slopes = &mut slopes.fresh()[..m * n];
                self.scores(head, &queries, &keys, weights);
                put_product(
                    Size { m, k: values, n },
                    Operand::plain(grad, values),
                    Operand::transposed(self.value_rows(head, &keys), values),
                    slopes,
                );
                for (i, query) in queries.clone().enumerate() {
                    let (shift, sum) = (
                        softmax.shifts[head * of + query],
                        softmax.sums[head * of + query],
                    );
                    let factor = if sum == E::zero() {
                        E::zero()
                    } else {
                        sum.recip()
                    };
                    // Σ weight·slope over all keys, from the result that they made.
                    let line = i * values..(i + 1) * values;
                    let mean = dot(&grad[line.clone()], &out[line]);
                    let line = i * n..(i + 1) * n;
                    weigh(
                        &mut weights[line.clone()],
                        &mut slopes[line],
                        [shift, factor, mean],
                    );
                }
                if let Some(to) = to_values.as_deref_mut() {
                    add_product(
                        Size {
                            m: n,
                            k: m,
                            n: values,
                        },
                        Operand::transposed(weights, n),
                        Operand::plain(grad, values),
                        &mut to[keys.start * values..keys.end * values],
                    );
                }
                if let Some(added) = added.as_deref_mut() {
                    let Stretched { row, column, .. } = self.stretched;
                    let start = self.stretched.start(head);
                    for (query, line) in queries.clone().zip(slopes.chunks_exact(n)) {
                        for (key, &slope) in keys.clone().zip(line) {
                            added[start + query * row + key * column] += slope;
                        }
                    }
                }
                slopes.iter_mut().for_each(|slope| *slope *= scale);
                if let Some(to) = to_queries.as_deref_mut() {
                    add_product(
                        Size { m, k: n, n: width },
                        Operand::plain(slopes, n),
                        Operand::plain(self.key_rows(head, &keys), width),
                        &mut to[queries.start * width..queries.end * width],
                    );
                }
                if let Some(to) = to_keys.as_deref_mut() {
                    add_product(
                        Size {
                            m: n,
                            k: m,
                            n: width,
                        },
                        Operand::transposed(slopes, n),
                        Operand::plain(self.query_rows(head, &queries), width),
                        &mut to[keys.start * width..keys.end * width],
                    );
                }
            }
        }
    }
}
