//! Softmax, its logarithm, and the logarithm of its denominator, along one axis.
//!
//! All subtract the largest value first, so that nothing overflows.

use super::map::{Map, Widest};
use super::parallel;
use crate::element::Element;
use crate::shape::Split;
use crate::storage::Buffer;
use std::ops::Range;

/// The values along the axis at one position of the others.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    step: usize,
    len: usize,
}

impl Line {
    fn place(self, i: usize) -> usize {
        self.start + i * self.step
    }

    /// The largest value, or NaN if there is one; −∞ for an empty line.
    fn max<E: Element>(self, x: &[E]) -> E {
        (0..self.len)
            .map(|i| x[self.place(i)])
            .fold(E::neg_infinity(), |max, x| {
                if x > max || x.is_nan() { x } else { max }
            })
    }

    /// The pairwise sum of `f` over the line's places.
    fn sum<E: Element>(self, f: &mut impl FnMut(usize) -> E) -> E {
        self.sum_range(0..self.len, f)
    }

    fn sum_range<E: Element>(self, range: Range<usize>, f: &mut impl FnMut(usize) -> E) -> E {
        /// Values added up without splitting.
        const BLOCK: usize = 128;
        if range.len() > BLOCK {
            let middle = range.start + range.len() / 2;
            return self.sum_range(range.start..middle, f) + self.sum_range(middle..range.end, f);
        }
        let mut lanes = [E::zero(); 4];
        for (k, i) in range.enumerate() {
            lanes[k % 4] += f(self.place(i));
        }
        (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
    }
}

/// Fills `out` block by block of the outermost axis: `body` gets a block, its position, and each line in it.
fn lines<E: Element>(
    split: Split,
    out: &mut [E],
    per_line: usize,
    body: impl Fn(&mut [E], usize, Line) + Sync,
) {
    let Split { len, inner, .. } = split;
    // Elements of `out` in a block: all of a line's, or one a line.
    let block = per_line * inner;
    if block == 0 {
        return;
    }
    let each = (parallel::CHUNK / (len * inner).max(1)).max(1);
    let elements = out.len();
    parallel::rows(
        out,
        each * block,
        elements,
        &|start: usize, piece: &mut [E]| {
            for (o, out) in piece.chunks_exact_mut(block).enumerate() {
                let o = start / block + o;
                // The common case gets a loop with a constant step.
                if inner == 1 {
                    body(
                        out,
                        o,
                        Line {
                            start: 0,
                            step: 1,
                            len,
                        },
                    );
                } else {
                    (0..inner).for_each(|i| {
                        body(
                            out,
                            o,
                            Line {
                                start: i,
                                step: inner,
                                len,
                            },
                        )
                    });
                }
            }
        },
    );
}

/// The largest value, or NaN if there is one; −∞ for none. As [`Line::max`], for values side by side.
fn largest<E: Element>(x: &[E]) -> E {
    let mut lanes = [E::neg_infinity(); 8];
    let mut missing = [false; 8];
    let mut chunks = x.chunks_exact(8);
    for chunk in &mut chunks {
        for ((max, missing), &x) in lanes.iter_mut().zip(&mut missing).zip(chunk) {
            *max = if x > *max { x } else { *max };
            *missing |= x.is_nan();
        }
    }
    if missing.contains(&true) {
        return E::nan();
    }
    let rest = chunks.remainder().iter();
    let larger = |max: E, x: &E| {
        if *x > max || x.is_nan() { *x } else { max }
    };
    rest.chain(&lanes).fold(E::neg_infinity(), |max, x| {
        if max.is_nan() { max } else { larger(max, x) }
    })
}

/// Writes exp(x − max) for every value of a row; returns their sum.
fn exponentials<E: Element>(x: &[E], max: E, out: &mut [E]) -> E {
    Widest(|x: E| (x - max).exp_in_loop()).write(x, out);
    super::sum(out)
}

/// The largest value that is safe to subtract: an infinite one would turn infinities into NaN.
fn shift<E: Element>(max: E) -> E {
    if max.is_infinite() { E::zero() } else { max }
}

/// exp(x) / Σ exp(x).
pub(crate) fn softmax<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    let block = split.len * split.inner;
    lines(split, out.fresh(), split.len, |out, o, line| {
        let x = &x[o * block..][..block];
        if line.step == 1 {
            let sum = exponentials(x, shift(largest(x)), out);
            return out.iter_mut().for_each(|value| *value /= sum);
        }
        let max = shift(line.max(x));
        let sum = line.sum(&mut |i| {
            out[i] = (x[i] - max).exp_in_loop();
            out[i]
        });
        for i in 0..line.len {
            out[line.place(i)] /= sum;
        }
    });
    out
}

/// y·(g − Σ g·y), where y is the softmax.
pub(crate) fn softmax_backward<E: Element>(grad: Buffer<E>, y: &[E], split: Split) -> Buffer<E> {
    backward(grad, y, split, |out, y, line| {
        let dot = line.sum(&mut |i| out[i] * y[i]);
        for i in (0..line.len).map(|i| line.place(i)) {
            out[i] = y[i] * (out[i] - dot);
        }
    })
}

/// x − ln Σ exp(x).
pub(crate) fn log_softmax<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    let block = split.len * split.inner;
    lines(split, out.fresh(), split.len, |out, o, line| {
        let x = &x[o * block..][..block];
        if line.step == 1 {
            let max = shift(largest(x));
            let log = exponentials(x, max, out).ln();
            let values = out.iter_mut().zip(x);
            return values.for_each(|(out, &x)| *out = (x - max) - log);
        }
        let max = shift(line.max(x));
        let log = line.sum(&mut |i| (x[i] - max).exp_in_loop()).ln();
        for i in (0..line.len).map(|i| line.place(i)) {
            // In this order the large parts cancel before the small one is subtracted.
            out[i] = (x[i] - max) - log;
        }
    });
    out
}

/// g − exp(y)·Σ g, where y is the log-softmax.
pub(crate) fn log_softmax_backward<E: Element>(
    grad: Buffer<E>,
    y: &[E],
    split: Split,
) -> Buffer<E> {
    backward(grad, y, split, |out, y, line| {
        let sum = line.sum(&mut |i| out[i]);
        for i in (0..line.len).map(|i| line.place(i)) {
            out[i] -= y[i].exp_in_loop() * sum;
        }
    })
}

fn backward<E: Element>(
    mut grad: Buffer<E>,
    y: &[E],
    split: Split,
    rule: impl Fn(&mut [E], &[E], Line) + Sync,
) -> Buffer<E> {
    let block = split.len * split.inner;
    lines(split, grad.make_mut(), split.len, |out, o, line| {
        rule(out, &y[o * block..][..block], line)
    });
    grad
}

/// ln Σ exp(x); −∞ for an axis of nothing but −∞, or of nothing.
pub(crate) fn logsumexp<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(split.outer * split.inner);
    let block = split.len * split.inner;
    lines(split, out.fresh(), 1, |out, o, line| {
        let x = &x[o * block..][..block];
        let max = shift(line.max(x));
        out[line.start] = max + line.sum(&mut |i| (x[i] - max).exp_in_loop()).ln();
    });
    out
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
    let rows = losses.fresh();
    {
        let losses = parallel::Parts::new(rows);
        lines(split, probabilities.fresh(), classes, |out, row, _| {
            let x = &x[row * classes..][..classes];
            let max = shift(largest(x));
            let sum = exponentials(x, max, out);
            out.iter_mut().for_each(|value| *value /= sum);
            // SAFETY: every row is visited once.
            let loss = unsafe { losses.part(row..row + 1) };
            // The large parts cancel before the small one joins.
            loss[0] = sum.ln() - (x[targets[row]] - max);
        });
    }
    (losses, probabilities)
}
