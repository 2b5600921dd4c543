//! Entries along an axis from other places, sums of them back there, and windows.

use crate::element::Element;
use crate::shape::Split;
use crate::storage::{Buffer, Plain};

/// In place of an entry's place: it comes from nowhere.
pub(crate) const HOLE: usize = usize::MAX;

/// Neighbours that come from neighbours: how many, and the place of the first. Holes are neighbours.
struct Run {
    place: usize,
    len: usize,
}

/// How the entries of an axis lie where they come from.
enum Way {
    /// Many together, or each a block of its own.
    Runs(Vec<Run>),
    /// Single elements, each the neighbour of the one before it, backwards; the place of the last.
    Backwards(usize),
    /// Single elements, most of them, which are not worth the work on a block each.
    Scattered,
}

impl Way {
    fn of(places: &[usize], split: Split) -> Self {
        let backwards = |pair: &[usize]| pair[0] != HOLE && pair[0] == pair[1].wrapping_add(1);
        let runs = runs(places);
        match places {
            _ if split.inner > 1 || runs.len() * 4 <= places.len() => Way::Runs(runs),
            [.., last] if places.windows(2).all(backwards) && *last != HOLE => {
                Way::Backwards(*last)
            }
            _ => Way::Scattered,
        }
    }
}

fn runs(places: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &place in places {
        match runs.last_mut() {
            Some(run) if run.place == HOLE && place == HOLE => run.len += 1,
            Some(run) if run.place != HOLE && place == run.place + run.len => run.len += 1,
            _ => runs.push(Run { place, len: 1 }),
        }
    }
    runs
}

/// The entries of the axis at `places`, and `hole` where that is [`HOLE`].
pub(crate) fn take_along<T: Plain>(x: &[T], split: Split, places: &[usize], hole: T) -> Buffer<T> {
    let Split { outer, len, inner } = split;
    let row = places.len() * inner;
    let mut out = Buffer::dirty(outer * row);
    if out.is_empty() {
        return out;
    }
    let way = Way::of(places, split);
    for (i, out) in out.fresh().chunks_exact_mut(row).enumerate() {
        let x = &x[i * len * inner..][..len * inner];
        match &way {
            Way::Scattered => {
                for (out, &place) in out.iter_mut().zip(places) {
                    *out = if place == HOLE { hole } else { x[place] };
                }
            }
            Way::Backwards(last) => {
                let x = x[*last..][..out.len()].iter().rev();
                out.iter_mut().zip(x).for_each(|(out, &x)| *out = x);
            }
            Way::Runs(runs) => {
                let mut rest = out;
                for run in runs {
                    let (block, after) = rest.split_at_mut(run.len * inner);
                    if run.place == HOLE {
                        block.fill(hole);
                    } else {
                        block.copy_from_slice(&x[run.place * inner..][..block.len()]);
                    }
                    rest = after;
                }
            }
        }
    }
    out
}

/// Adds `grad` to the places where [`take_along`] took its entries from.
pub(crate) fn add_along<E: Element>(sum: &mut [E], grad: &[E], split: Split, places: &[usize]) {
    let Split { outer, len, inner } = split;
    let row = places.len() * inner;
    if grad.is_empty() {
        return;
    }
    let way = Way::of(places, split);
    for (i, grad) in grad.chunks_exact(row).take(outer).enumerate() {
        let sum = &mut sum[i * len * inner..][..len * inner];
        match &way {
            Way::Scattered => {
                for (&g, &place) in grad.iter().zip(places) {
                    if place != HOLE {
                        sum[place] += g;
                    }
                }
            }
            Way::Backwards(last) => {
                let grad = grad.iter().rev();
                sum[*last..]
                    .iter_mut()
                    .zip(grad)
                    .for_each(|(sum, &g)| *sum += g);
            }
            Way::Runs(runs) => {
                let mut rest = grad;
                for run in runs {
                    let (block, after) = rest.split_at(run.len * inner);
                    if run.place != HOLE {
                        for (sum, &g) in sum[run.place * inner..].iter_mut().zip(block) {
                            *sum += g;
                        }
                    }
                    rest = after;
                }
            }
        }
    }
}

/// Calls `at(place in x, place among the windows)` for each element of each window.
#[inline(always)]
fn each_in_windows(split: Split, size: usize, step: usize, mut at: impl FnMut(usize, usize)) {
    let Split { outer, len, inner } = split;
    let mut to = 0;
    for row in 0..outer {
        for start in (0..=len - size).step_by(step) {
            for i in 0..inner {
                for entry in start..start + size {
                    at((row * len + entry) * inner + i, to);
                    to += 1;
                }
            }
        }
    }
}

/// Windows of `size` entries, `step` apart; the entries of a window lie along a new last axis.
pub(crate) fn windows<T: Plain>(x: &[T], split: Split, size: usize, step: usize) -> Buffer<T> {
    let count = (split.len - size) / step + 1;
    let mut out = Buffer::dirty(split.outer * count * split.inner * size);
    let values = out.fresh();
    each_in_windows(split, size, step, |from, to| values[to] = x[from]);
    out
}

/// Adds `grad` to the elements that [`windows`] took.
pub(crate) fn add_windows<E: Element>(
    sum: &mut [E],
    grad: &[E],
    split: Split,
    size: usize,
    step: usize,
) {
    each_in_windows(split, size, step, |from, to| sum[from] += grad[to]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_single_elements_are_taken_alike() {
        let x: Vec<f64> = (0..60).map(f64::from).collect();
        let orders: [&[usize]; 9] = [
            &[],
            &[3],
            &[HOLE],
            &[3, 2, 1],
            &[HOLE, 3, 2, 1, 0],
            &[0, 1, 2, 3, 4],
            &[4, 3, 2, 1, 0],
            &[HOLE, HOLE, 1, 2, HOLE],
            &[3, 3, HOLE, 0, 4, HOLE, 0],
        ];
        for (outer, inner) in [(12, 1), (1, 12), (3, 4), (2, 6)] {
            for places in orders {
                let len = 5;
                let split = Split { outer, len, inner };
                let out = take_along(&x, split, places, -1.0);
                let mut sum = vec![0.0; 60];
                add_along(&mut sum, &out, split, places);
                let mut expected = vec![0.0; 60];
                for (i, &value) in out.iter().enumerate() {
                    let (row, rest) = (i / (places.len() * inner), i % (places.len() * inner));
                    match places[rest / inner] {
                        HOLE => assert_eq!(value, -1.0),
                        place => {
                            let from = (row * len + place) * inner + rest % inner;
                            assert_eq!(value, x[from]);
                            expected[from] += value;
                        }
                    }
                }
                assert_eq!(out.len(), outer * inner * places.len());
                assert_eq!(sum, expected);
            }
        }
    }
}
