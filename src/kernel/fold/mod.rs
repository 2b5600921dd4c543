//! Lines along an axis folded into a few numbers each, in one pass over the values.
//!
//! A few rows are taken in at once, for columns side by side. Narrow matrices, and single lines, are laid out as wider
//! ones with fewer rows; the states of what belongs together are joined in the end.

mod extremes;
mod moments;
mod products;
#[cfg(test)]
mod tests;

use super::lanes::{Lanes, Scalar};
use super::parallel::{self, Parts};
use super::strips::{STRIP, get, put, strip};
use super::wide::widest;
use crate::element::{Element, count};
use crate::shape::Split;
use crate::storage::Buffer;
use std::ops::Range;

pub(crate) use extremes::{Wanted, extreme, extreme_and_place};
pub(crate) use moments::moments;
pub(crate) use products::product;

/// What is known of a stretch of a line.
type State<V> = [V; 3];

/// Where values stand that are taken in.
#[derive(Clone, Copy)]
struct Place<V> {
    /// The first value of the line.
    first: V,
    /// How many rows have been taken in before.
    rows: V,
    /// The place on the axis, counted from the beginning of the piece.
    at: V,
    /// From there to the place in the next row: more than 1 where several places lie in a row.
    step: V,
}

/// How lines are folded.
trait Folding<E: Element>: Sync {
    /// The state of nothing, in the piece of a line that has this number.
    fn start(&self, piece: E) -> State<E>;
    /// The state when the values of the next `N` rows have been taken in.
    fn take<V: Lanes<Element = E>, const N: usize>(
        &self,
        state: State<V>,
        values: [V; N],
        place: Place<V>,
    ) -> State<V>;
    /// The state of two stretches.
    fn join<V: Lanes<Element = E>>(&self, a: State<V>, b: State<V>) -> State<V>;
}

/// Columns that are folded together: their states stay in the nearest cache.
const TILE: usize = 1024;
/// Narrower matrices are laid out as wider ones.
const NARROW: usize = 64;
/// Columns of what they are laid out as, at most.
const WIDE: usize = 2 * NARROW;
/// Shorter lines are folded value by value.
const SHORT: usize = NARROW;
/// Rows that are taken in at once.
const ROWS: usize = 8;

/// How the lines are cut: a long axis into pieces, of a length that depends on nothing but the axes, and wide rows into
/// tiles.
#[derive(Clone, Copy)]
struct Cut {
    split: Split,
    /// Places along the axis in each piece, apart from the last.
    long: usize,
    pieces: usize,
}

impl Cut {
    fn new(split: Split) -> Cut {
        /// Rows in a piece, if that is no more than a chunk: joining them takes no time then.
        const ROWS: usize = 128;
        let Split { len, inner, .. } = split;
        let long = parallel::CHUNK.div_ceil(inner.max(1)).next_power_of_two();
        let long = if len <= 2 * long.max(ROWS) {
            len
        } else {
            long.max(ROWS)
        };
        Cut {
            split,
            long,
            pieces: len.div_ceil(long.max(1)).max(1),
        }
    }

    /// Where the values of a piece lie, and the first of all those of its lines.
    #[inline(always)]
    fn block(&self, number: usize) -> (Range<usize>, usize) {
        let Split { len, inner, .. } = self.split;
        let (outer, start) = (number / self.pieces, number % self.pieces * self.long);
        let line = outer * len;
        (
            (line + start) * inner..(line + (start + self.long).min(len)) * inner,
            line * inner,
        )
    }
}

/// Folds every line, and hands the states to `finish`: three slices for lines that follow each
/// other, and the number of the first.
fn fold<E: Element, F: Folding<E>>(
    x: &[E],
    cut: Cut,
    f: &F,
    finish: &mut dyn FnMut(usize, [&[E]; 3]),
) {
    let Cut {
        split: Split { outer, inner, .. },
        long,
        pieces,
    } = cut;
    if outer * inner == 0 {
        return;
    }
    let tiles = inner.div_ceil(TILE);
    let (blocks, each) = (
        outer * pieces,
        if tiles == 1 {
            (parallel::CHUNK / (long * inner).max(1)).max(1)
        } else {
            1
        },
    );
    let mut states = Buffer::dirty(blocks * 3 * inner);
    let all = Parts::new(states.fresh());
    parallel::for_each(blocks.div_ceil(each) * tiles, x.len(), &|i| {
        let (first, tile) = (i / tiles * each, i % tiles * TILE);
        let work = Work {
            first,
            tile,
            width: TILE.min(inner - tile),
        };
        let start = 3 * (first * inner + tile);
        // SAFETY: blocks and tiles of different numbers do not overlap, and each is worked on once.
        let states = unsafe { all.part(start..start + 3 * work.width * each.min(blocks - first)) };
        blocks_of(f, x, cut, work, states);
    });
    for outer in 0..outer {
        let states = &mut states.fresh()[outer * pieces * 3 * inner..][..pieces * 3 * inner];
        join_pieces(f, states, 3 * inner);
        for tile in (0..inner).step_by(TILE) {
            let width = TILE.min(inner - tile);
            let (a, rest) = states[3 * tile..].split_at(width);
            let (b, rest) = rest.split_at(width);
            finish(outer * inner + tile, [a, b, &rest[..width]]);
        }
    }
}

/// Blocks from the first on, and which columns of them.
#[derive(Clone, Copy)]
struct Work {
    first: usize,
    tile: usize,
    width: usize,
}

widest! {
    /// Writes the states of each block's columns.
    fn blocks_of<E; F: Folding<E>>(f: &F, x: &[E], cut: Cut, work: Work, states: &mut [E]) = blocks_in in lanes;
    /// Joins the states of pieces of so many numbers each, those of a tile together, into those of the first piece.
    fn join_pieces<E; F: Folding<E>>(f: &F, states: &mut [E], piece: usize) = join_pieces_in in lanes;
}

#[inline(always)]
fn join_pieces_in<E: Element, V: Lanes<Element = E>, F: Folding<E>>(
    f: &F,
    states: &mut [E],
    piece: usize,
) {
    let mut step = piece;
    while step < states.len() {
        for pair in states.chunks_mut(2 * step) {
            let (left, right) = pair.split_at_mut(step.min(pair.len()));
            // The last piece may have none to join.
            let right = right.chunks_exact_mut(piece).next().unwrap_or(&mut []);
            let tiles = left[..piece].chunks_mut(3 * TILE);
            for (left, right) in tiles.zip(right.chunks_mut(3 * TILE)) {
                join::<E, V, F>(f, &mut parts(left), parts(right));
            }
        }
        step *= 2;
    }
}

/// The three numbers of the states of a tile.
#[inline(always)]
fn parts<E>(states: &mut [E]) -> [&mut [E]; 3] {
    let n = states.len() / 3;
    let (a, rest) = states.split_at_mut(n);
    let (b, c) = rest.split_at_mut(n);
    [a, b, c]
}

/// States for writing: each number of all of them.
type States<'a, E> = [&'a mut [E]; 3];

#[inline(always)]
fn blocks_in<E: Element, V: Lanes<Element = E>, F: Folding<E>>(
    f: &F,
    x: &[E],
    cut: Cut,
    work: Work,
    states: &mut [E],
) {
    let inner = cut.split.inner;
    let blocks = (work.first..).zip(states.chunks_exact_mut(3 * work.width));
    let blocks = blocks.map(|(number, states)| {
        let (range, first) = cut.block(number);
        let start = f.start(count(number % cut.pieces));
        (&x[range], &x[first..], start, states)
    });
    if inner == 1 && cut.long < SHORT {
        for (values, first, start, states) in blocks {
            line(f, values, first, start, states);
        }
        return;
    }
    // Several rows of a narrow matrix are one.
    let together = NARROW.div_ceil(inner).next_power_of_two();
    let width = if together > 1 { together * inner } else { 0 };
    let (mut wide, mut firsts, mut starts) =
        ([[E::zero(); WIDE]; 3], [E::zero(); WIDE], [E::zero(); WIDE]);
    for (side, starts) in starts[..width].chunks_exact_mut(inner).enumerate() {
        starts.fill(count(side));
    }
    for (values, first, start, states) in blocks {
        let mut states = parts(states);
        let [a, b, c] = &mut states;
        let [d, e, g] = &mut wide;
        let (rows, mut columns) = if together == 1 {
            let rows = Rows {
                values: &values[work.tile.min(values.len())..],
                step: inner,
                first: &first[work.tile.min(first.len())..],
                starts: None,
                together,
            };
            (rows, [&mut **a, b, c])
        } else {
            match first.get(..inner) {
                // Copies of single numbers would be calls.
                Some(&[first]) => firsts.fill(first),
                Some(first) => {
                    for firsts in firsts[..width].chunks_exact_mut(inner) {
                        firsts.copy_from_slice(first);
                    }
                }
                None => {}
            }
            let rows = Rows {
                values,
                step: width,
                first: &firsts,
                starts: Some(&starts),
                together,
            };
            (rows, [&mut d[..width], &mut e[..width], &mut g[..width]])
        };
        for (states, start) in columns.iter_mut().zip(start) {
            states.fill(start);
        }
        down::<E, V, F>(f, rows, &mut columns);
        if together > 1 {
            halve::<E, V, F>(f, &mut wide, width, inner);
            for (states, wide) in states.into_iter().zip(&wide) {
                for (state, &wide) in states.iter_mut().zip(wide) {
                    *state = wide;
                }
            }
        }
    }
}

/// Folds a short line.
#[inline(always)]
fn line<E: Element, F: Folding<E>>(f: &F, x: &[E], first: &[E], start: State<E>, states: &mut [E]) {
    let first = first.first().copied().unwrap_or(E::zero());
    let mut state = start.map(Scalar::<E, false>);
    let mut at = 0;
    macro_rules! take {
        ($n:expr) => {
            while let Some(values) = x[at..].first_chunk::<{ $n }>() {
                let place = Place {
                    first: Scalar(first),
                    rows: Scalar(count(at)),
                    at: Scalar(count(at)),
                    step: Scalar(E::one()),
                };
                state = f.take(state, values.map(Scalar), place);
                at += $n;
            }
        };
    }
    take!(ROWS);
    take!(1);
    for (to, part) in states.iter_mut().zip(state) {
        *to = part.0;
    }
}

/// Joins the right half of the columns with the left one, until so many are left.
#[inline(always)]
fn halve<E: Element, V: Lanes<Element = E>, F: Folding<E>>(
    f: &F,
    [a, b, c]: &mut [[E; WIDE]; 3],
    mut width: usize,
    inner: usize,
) {
    while width > inner {
        width /= 2;
        let ((a, d), (b, e), (c, g)) = (
            a.split_at_mut(width),
            b.split_at_mut(width),
            c.split_at_mut(width),
        );
        join::<E, V, F>(
            f,
            &mut [a, b, c],
            [&mut d[..width], &mut e[..width], &mut g[..width]],
        );
    }
}

/// Joins states with others.
#[inline(always)]
fn join<E: Element, V: Lanes<Element = E>, F: Folding<E>>(
    f: &F,
    states: &mut States<'_, E>,
    others: States<'_, E>,
) {
    for i in (0..states[0].len()).step_by(V::COUNT) {
        let a = [get(states[0], i), get(states[1], i), get(states[2], i)];
        let b = [get(others[0], i), get(others[1], i), get(others[2], i)];
        let joined: State<V> = f.join(a, b);
        for p in 0..3 {
            put(joined[p], states[p], i);
        }
    }
}

/// Rows of which as many columns count as have states.
#[derive(Clone, Copy)]
struct Rows<'a, E> {
    /// From the first column on; the last row may be shorter.
    values: &'a [E],
    /// From the start of one to that of the next.
    step: usize,
    /// The first values of the lines.
    first: &'a [E],
    /// Where each column starts on the axis, if not all at its beginning.
    starts: Option<&'a [E]>,
    /// How many places of the axis are in a row.
    together: usize,
}

/// Takes in rows.
#[inline(always)]
fn down<E: Element, V: Lanes<Element = E>, F: Folding<E>>(
    f: &F,
    x: Rows<'_, E>,
    states: &mut States<'_, E>,
) {
    let n = states[0].len();
    let mut row = 0;
    while (row + ROWS - 1) * x.step + n <= x.values.len() {
        let mut values = [&x.values[..0]; ROWS];
        for (k, values) in values.iter_mut().enumerate() {
            *values = &x.values[(row + k) * x.step..][..n];
        }
        take_rows::<E, V, F, ROWS>(f, values, x, row, states);
        row += ROWS;
    }
    while row * x.step < x.values.len() {
        let values = &x.values[row * x.step..];
        take_rows::<E, V, F, 1>(f, [&values[..n.min(values.len())]], x, row, states);
        row += 1;
    }
}

/// Takes in the values of the next `N` rows, for the first columns if they are shorter.
#[inline(always)]
fn take_rows<E: Element, V: Lanes<Element = E>, F: Folding<E>, const N: usize>(
    f: &F,
    values: [&[E]; N],
    x: Rows<'_, E>,
    row: usize,
    states: &mut States<'_, E>,
) {
    let n = values[0].len();
    let zeros = [E::zero(); STRIP];
    let mut place = Place {
        first: V::splat(E::zero()),
        rows: V::splat(count(row)),
        at: V::splat(E::zero()),
        step: V::splat(count(x.together)),
    };
    let start = V::splat(count(row * x.together));
    let mut lanes = [V::splat(E::zero()); N];
    let whole = n - n % STRIP;
    for i in (0..whole).step_by(STRIP) {
        let first = strip(x.first, i);
        let starts = match x.starts {
            Some(starts) => strip(starts, i),
            None => &zeros,
        };
        let before = [
            strip(states[0], i),
            strip(states[1], i),
            strip(states[2], i),
        ];
        let mut rows = [&zeros; N];
        for k in 0..N {
            rows[k] = strip(values[k], i);
        }
        let mut after = [[E::zero(); STRIP]; 3];
        for j in (0..STRIP).step_by(V::COUNT) {
            (place.first, place.at) = (V::load(&first[j..]), V::load(&starts[j..]) + start);
            for k in 0..N {
                lanes[k] = V::load(&rows[k][j..]);
            }
            let state = [
                V::load(&before[0][j..]),
                V::load(&before[1][j..]),
                V::load(&before[2][j..]),
            ];
            let state = f.take(state, lanes, place);
            for p in 0..3 {
                state[p].store(&mut after[p][j..]);
            }
        }
        for p in 0..3 {
            states[p][i..i + STRIP].copy_from_slice(&after[p]);
        }
    }
    for i in (whole..n).step_by(V::COUNT) {
        place.first = get(&x.first[..n], i);
        place.at = match x.starts {
            Some(starts) => get::<V>(&starts[..n], i) + start,
            None => start,
        };
        for k in 0..N {
            lanes[k] = get(values[k], i);
        }
        let state = [
            get(&states[0][..n], i),
            get(&states[1][..n], i),
            get(&states[2][..n], i),
        ];
        let state = f.take(state, lanes, place);
        for p in 0..3 {
            put(state[p], &mut states[p][..n], i);
        }
    }
}
