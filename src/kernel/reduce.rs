//! One axis, or several, folded into one value each; and a value spread over an axis again.

use super::{parallel, sum};
use crate::element::Element;
use crate::shape::{Fold, Split};
use crate::storage::Buffer;

/// The loops of a function of each value and of the position of the sum it goes to, which are all that is compiled
/// for each function.
pub(crate) trait Summand<E>: Sync {
    /// The sum over a line, whose position is `at`.
    fn sum(&self, line: &[E], at: usize) -> E;
    /// The sums of the columns of a matrix, whose positions start at `first`.
    fn sum_rows(&self, matrix: &[E], first: usize, out: &mut [E]);
}

impl<E: Element, F: Fn(E, usize) -> E + Sync> Summand<E> for F {
    fn sum(&self, line: &[E], at: usize) -> E {
        sum::sum_by(line, |value| self(value, at))
    }
    fn sum_rows(&self, matrix: &[E], first: usize, out: &mut [E]) {
        sum::sum_rows(matrix, out, &|value, i| self(value, first + i));
    }
}

/// Sums over the middle axis.
pub(crate) fn sum_axis<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    sum_axis_by(x, split, &|value, _| value)
}

/// Sums `f(x, position of the sum)` over the middle axis.
pub(crate) fn sum_axis_by<E: Element>(x: &[E], split: Split, f: &dyn Summand<E>) -> Buffer<E> {
    let Split { outer, len, inner } = split;
    let mut out = Buffer::dirty(outer * inner);
    let each = (parallel::CHUNK / (len * inner).max(1)).max(1);
    parallel::rows(
        out.fresh(),
        each * inner,
        x.len(),
        &|start: usize, piece: &mut [E]| {
            if inner == 1 {
                for (line, out) in (start..).zip(piece) {
                    *out = f.sum(&x[line * len..][..len], line);
                }
            } else {
                for (o, out) in (start / inner..).zip(piece.chunks_exact_mut(inner)) {
                    f.sum_rows(&x[o * len * inner..][..len * inner], o * inner, out);
                }
            }
        },
    );
    out
}

/// Sums the gradient of a broadcast result down to one operand.
#[inline(always)]
pub(crate) fn sum_to<E: Element>(grad: Buffer<E>, fold: &Fold) -> Buffer<E> {
    if fold.is_identity() {
        return grad;
    }
    folded(grad, fold)
}

fn folded<E: Element>(grad: Buffer<E>, fold: &Fold) -> Buffer<E> {
    let mut grad = grad;
    let groups = fold.groups();
    // From the last group to the first: what lies behind a group has its final size already.
    let mut inner = 1;
    for (i, group) in groups.iter().enumerate().rev() {
        if group.summed {
            let outer = groups[..i].iter().map(|group| group.size).product();
            let split = Split {
                outer,
                len: group.size,
                inner,
            };
            grad = sum_axis(&grad, split);
        } else {
            inner *= group.size;
        }
    }
    grad
}

/// Repeats each value along the middle axis: the backward of a sum.
pub(crate) fn spread<E: Element>(values: &[E], split: Split) -> Buffer<E> {
    let mut out = Buffer::dirty(split.outer * split.len * split.inner);
    if split.inner > 0 && split.len > 0 {
        for (block, row) in out
            .fresh()
            .chunks_exact_mut(split.len * split.inner)
            .zip(values.chunks_exact(split.inner))
        {
            if let [value] = row {
                block.fill(*value);
            } else {
                block
                    .chunks_exact_mut(split.inner)
                    .for_each(|out| out.copy_from_slice(row));
            }
        }
    }
    out
}

/// `f(x, position of its reduction)` for every element: the backward of a reduction that needs its input.
pub(crate) fn spread_with<E: Element>(
    x: &[E],
    split: Split,
    f: impl Fn(E, usize) -> E + Sync,
) -> Buffer<E> {
    let Split { len, inner, .. } = split;
    let mut out = Buffer::dirty(x.len());
    let block = len * inner;
    if block == 0 {
        return out;
    }
    let each = (parallel::CHUNK / block).max(1);
    parallel::rows(
        out.fresh(),
        each * block,
        x.len(),
        &|start: usize, piece: &mut [E]| {
            for (o, (out, x)) in piece
                .chunks_exact_mut(block)
                .zip(x[start..].chunks_exact(block))
                .enumerate()
            {
                let first = (start / block + o) * inner;
                for (out, x) in out.chunks_exact_mut(inner).zip(x.chunks_exact(inner)) {
                    for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
                        *out = f(x, first + i);
                    }
                }
            }
        },
    );
    out
}

/// The best value along the middle axis and where it first stands; a NaN is better than any number.
pub(crate) fn argbest<E: Element>(
    x: &[E],
    split: Split,
    better: impl Fn(E, E) -> bool,
) -> (Buffer<E>, Buffer<usize>) {
    let Split { outer, len, inner } = split;
    let (mut best, mut at) = (
        Buffer::dirty(outer * inner),
        Buffer::filled(outer * inner, 0),
    );
    assert!(len > 0 || outer * inner == 0, "the best of an empty axis");
    let (values, positions) = (best.fresh(), at.fresh());
    for o in 0..outer {
        let block = &x[o * len * inner..][..len * inner];
        let range = o * inner..(o + 1) * inner;
        let (values, positions) = (&mut values[range.clone()], &mut positions[range]);
        values.copy_from_slice(&block[..inner]);
        for (l, row) in block.chunks_exact(inner.max(1)).enumerate().skip(1) {
            for ((value, position), &x) in values.iter_mut().zip(&mut *positions).zip(row) {
                if better(x, *value) || (x.is_nan() && !value.is_nan()) {
                    *value = x;
                    *position = l;
                }
            }
        }
    }
    (best, at)
}
