//! One axis, or several, folded into one value each; and a value spread over an axis again.

use super::lanes::Lanes;
use super::map::Pointwise;
use super::strips::{STRIP, get, put, strip};
use super::sum::Columns;
use super::wide::widest;
use super::{parallel, sum};
use crate::element::Element;
use crate::shape::{Fold, Split};
use crate::storage::Buffer;

/// The loops of a function of each value and of the position of the sum it goes to, which are all that is compiled
/// for each function.
pub(crate) trait Summand<E>: Sync {
    /// The sum over a line, whose position is `at`.
    fn sum(&self, line: &[E], at: usize) -> E;
    /// The sums of columns, whose positions start at `at`.
    fn sum_rows(&self, columns: Columns<'_, E>, at: usize, out: &mut [E]);
}

impl<E: Element, F: Fn(E, usize) -> E + Sync> Summand<E> for F {
    fn sum(&self, line: &[E], at: usize) -> E {
        sum::sum_by(line, |value| self(value, at))
    }
    fn sum_rows(&self, columns: Columns<'_, E>, at: usize, out: &mut [E]) {
        sum::sum_rows_by(columns, out, &|value, i| self(value, at + i));
    }
}

/// The values themselves.
struct Values;

impl<E: Element> Summand<E> for Values {
    fn sum(&self, line: &[E], _: usize) -> E {
        sum::sum(line)
    }
    fn sum_rows(&self, columns: Columns<'_, E>, _: usize, out: &mut [E]) {
        sum::sum_rows(columns, out);
    }
}

/// Sums over the middle axis.
pub(crate) fn sum_axis<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    sum_axis_by(x, split, &Values)
}

/// Elements in a piece of a long axis: so many that its sums are few beside them.
const PIECE: usize = 4 * parallel::CHUNK;

/// Sums `f(x, position of the sum)` over the middle axis.
///
/// A long axis is summed in pieces of a length that depends on nothing but the axes, and then the pieces' sums are.
pub(crate) fn sum_axis_by<E: Element>(x: &[E], split: Split, f: &dyn Summand<E>) -> Buffer<E> {
    let Split { outer, len, inner } = split;
    let long = PIECE.div_ceil(inner.max(1)).next_power_of_two();
    if len <= 2 * long || inner > sum::TILE {
        return sum_pieces(x, split, len, f);
    }
    let pieces = len.div_ceil(long);
    let sums = sum_pieces(x, split, long, f);
    let split = Split {
        outer,
        len: pieces,
        inner,
    };
    sum_pieces(&sums, split, pieces, &Values)
}

/// The sums of pieces of so many places along the middle axis.
fn sum_pieces<E: Element>(x: &[E], split: Split, long: usize, f: &dyn Summand<E>) -> Buffer<E> {
    let Split { outer, len, inner } = split;
    let pieces = if len == 0 { 1 } else { len.div_ceil(long) };
    let mut out = Buffer::dirty(outer * pieces * inner);
    let range = |piece: usize| {
        let (o, start) = (piece / pieces, piece % pieces * long);
        o * len + start..o * len + (start + long).min(len)
    };
    if inner == 1 {
        let each = (parallel::CHUNK / long.max(1)).max(1);
        let work = |start: usize, out: &mut [E]| {
            for (piece, out) in (start..).zip(out) {
                *out = f.sum(&x[range(piece)], piece / pieces);
            }
        };
        parallel::rows(out.fresh(), each, x.len(), &work);
        return out;
    }
    // Of few columns all at once, for several pieces; otherwise so many of one as leave something to each thread.
    let each = if inner <= sum::TILE {
        (parallel::CHUNK / (long * inner).max(1)).max(1) * inner
    } else {
        let share = inner.div_ceil(parallel::threads(x.len()));
        share.clamp(sum::TILE, 4 * sum::TILE)
    };
    let work = |start: usize, mut out: &mut [E]| {
        let mut at = start;
        while !out.is_empty() {
            let (piece, first) = (at / inner, at % inner);
            let (sums, others) = out.split_at_mut((inner - first).min(out.len()));
            let rows = range(piece);
            let columns = Columns {
                matrix: &x[rows.start * inner..rows.end * inner],
                width: inner,
                first,
            };
            f.sum_rows(columns, piece / pieces * inner + first, sums);
            at += sums.len();
            out = others;
        }
    };
    parallel::rows(out.fresh(), each.max(1), x.len(), &work);
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
    let in_line = |_: usize, out: &mut [E], line: usize| out.fill(values[line]);
    let in_row = |_: usize, out: &mut [E], first: usize| {
        out.copy_from_slice(&values[first..][..out.len()]);
    };
    fill_spread(out.fresh(), split, &in_line, &in_row);
    out
}

/// `f(x, position of its reduction)` for every element.
pub(crate) fn spread_with<E: Element>(
    x: &[E],
    split: Split,
    f: impl Fn(E, usize) -> E + Sync,
) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    let in_line = |start: usize, out: &mut [E], line: usize| {
        for (out, &x) in out.iter_mut().zip(&x[start..]) {
            *out = f(x, line);
        }
    };
    let in_row = |start: usize, out: &mut [E], first: usize| {
        for (i, (out, &x)) in (first..).zip(out.iter_mut().zip(&x[start..])) {
            *out = f(x, i);
        }
    };
    fill_spread(out.fresh(), split, &in_line, &in_row);
    out
}

/// `f` of every element of the first operand and of the numbers that belong to its reduction in the others: the backward
/// of a reduction that needs its input.
pub(crate) fn spread_in_lanes<E: Element, F: Pointwise<E, N>, const N: usize>(
    operands: [&[E]; N],
    split: Split,
    f: &F,
) -> Buffer<E> {
    let mut out = Buffer::dirty(operands[0].len());
    let in_line = |start: usize, out: &mut [E], line: usize| {
        let mut numbers = [E::zero(); N];
        for i in 1..N {
            numbers[i] = operands[i][line];
        }
        along_line(&operands[0][start..], numbers, f, out);
    };
    let in_row = |start: usize, out: &mut [E], first: usize| {
        let mut rows = [&operands[0][start..][..out.len()]; N];
        for i in 1..N {
            rows[i] = &operands[i][first..][..out.len()];
        }
        across_lines(rows, f, out);
    };
    fill_spread(out.fresh(), split, &in_line, &in_row);
    out
}

widest! {
    /// Writes `f` of each `x` and of numbers.
    fn along_line<E, const N: usize; F: Pointwise<E, N>>(x: &[E], numbers: [E; N], f: &F, out: &mut [E]) = along_line_in in lanes;
    /// Writes `f` of the values at each place.
    fn across_lines<E, const N: usize; F: Pointwise<E, N>>(x: [&[E]; N], f: &F, out: &mut [E]) = across_lines_in in lanes;
}

#[inline(always)]
fn along_line_in<E: Element, V: Lanes<Element = E>, F: Pointwise<E, N>, const N: usize>(
    x: &[E],
    numbers: [E; N],
    f: &F,
    out: &mut [E],
) {
    let x = x[..out.len()].chunks_exact(V::COUNT);
    let mut values = numbers.map(V::splat);
    let rest = V::load_part(x.remainder());
    let mut lanes = out.chunks_exact_mut(V::COUNT);
    for (out, x) in lanes.by_ref().zip(x) {
        values[0] = V::load(x);
        f.at(values).store(out);
    }
    values[0] = rest;
    f.at(values).store_part(lanes.into_remainder());
}

#[inline(always)]
fn across_lines_in<E: Element, V: Lanes<Element = E>, F: Pointwise<E, N>, const N: usize>(
    x: [&[E]; N],
    f: &F,
    out: &mut [E],
) {
    let n = out.len();
    let whole = n - n % STRIP;
    let mut lanes = [V::splat(E::zero()); N];
    for i in (0..whole).step_by(STRIP) {
        let mut rows = [strip(x[0], i); N];
        for k in 1..N {
            rows[k] = strip(x[k], i);
        }
        let mut y = [E::zero(); STRIP];
        for j in (0..STRIP).step_by(V::COUNT) {
            for k in 0..N {
                lanes[k] = V::load(&rows[k][j..]);
            }
            f.at(lanes).store(&mut y[j..]);
        }
        out[i..i + STRIP].copy_from_slice(&y);
    }
    for i in (whole..n).step_by(V::COUNT) {
        for k in 0..N {
            lanes[k] = get(x[k], i);
        }
        put(f.at(lanes), out, i);
    }
}

/// What fills a run of the operand's elements, given where it starts, and the position of the reduction that all belong
/// to, or the first one, each to the next. (Not `Fn`, for the reason that [`parallel::Work`] gives.)
trait Fill<E>: Sync {
    fn run(&self, start: usize, out: &mut [E], at: usize);
}

impl<E, F: Fn(usize, &mut [E], usize) + Sync> Fill<E> for F {
    fn run(&self, start: usize, out: &mut [E], at: usize) {
        self(start, out, at);
    }
}

/// Fills a gradient in runs along the middle axis, if its elements lie side by side, or else across it.
fn fill_spread<E: Element>(
    out: &mut [E],
    split: Split,
    in_line: &dyn Fill<E>,
    in_row: &dyn Fill<E>,
) {
    let Split { len, inner, .. } = split;
    if inner == 1 {
        return parallel::fresh_chunks(out, &[], &|start: usize, mut piece: &mut [E]| {
            let mut at = start;
            while !piece.is_empty() {
                let rest = len - at % len;
                let (run, others) = piece.split_at_mut(rest.min(piece.len()));
                in_line.run(at, run, at / len);
                at += run.len();
                piece = others;
            }
        });
    }
    let work = |start: usize, piece: &mut [E]| {
        let starts = (start..).step_by(inner);
        for (start, row) in starts.zip(piece.chunks_exact_mut(inner)) {
            in_row.run(start, row, start / (len * inner) * inner);
        }
    };
    let (piece, elements) = ((parallel::CHUNK / inner.max(1)).max(1) * inner, out.len());
    parallel::fresh_rows(out, [inner, piece], elements, &[], &work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_every_length_and_width_are_exact() {
        let sizes = [
            (1, 100_003, 1),
            (3, 70_000, 1),
            (2, 40_001, 10),
            (1, 9, 200),
            (2, 1000, 130),
            (1, 70, 1500),
            (1, 3000, 1023),
            (0, 5, 3),
            (4, 0, 3),
            (2, 3, 0),
        ];
        for (outer, len, inner) in sizes {
            let split = Split { outer, len, inner };
            let x: Vec<f64> = (0..outer * len * inner)
                .map(|i| (i % 1013) as f64)
                .collect();
            let mut right = vec![0.0; outer * inner];
            for (i, x) in x.iter().enumerate() {
                right[i / (len * inner) * inner + i % inner] += x;
            }
            assert_eq!(&*sum_axis(&x, split), right, "{split:?}");
            let twice = sum_axis_by(&x, split, &|x: f64, at: usize| x + at as f64);
            for (at, right) in right.iter_mut().enumerate() {
                *right += (at * len) as f64;
            }
            assert_eq!(&*twice, right, "{split:?}");
        }
    }

    #[test]
    fn values_are_spread_along_their_axis() {
        for (outer, len, inner) in [(1, 300_000, 1), (3, 7, 1), (2, 5, 4), (1, 3, 0)] {
            let split = Split { outer, len, inner };
            let x: Vec<f32> = (0..outer * len * inner).map(|i| i as f32).collect();
            let values: Vec<f32> = (0..outer * inner).map(|i| i as f32).collect();
            let place = |i: usize| i / (len * inner) * inner + i % inner;
            let spread = spread(&values, split);
            assert!(
                (0..)
                    .zip(&*spread)
                    .all(|(i, &value)| value == values[place(i)]),
                "{split:?}"
            );
            let with = spread_with(&x, split, |x, at| x + at as f32);
            assert!(
                (0..)
                    .zip(&*with)
                    .all(|(i, &value)| value == x[i] + place(i) as f32),
                "{split:?}"
            );
        }
    }
}
