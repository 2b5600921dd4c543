//! The largest entry under each place of a window, and where it stands.

use super::parallel::{self, Parts};
use super::wide::widest;
use crate::element::Element;
use crate::shape::{Pooled, Sweep};
use crate::storage::Buffer;
use std::ops::Range;

/// Results with fewer columns are looked for place by place, others row by row.
const MIN_COLUMNS: usize = 4;

/// For each plane and each place of the window the largest entry. What lies in padding does not take part; NaN counts
/// as larger than any number.
pub(crate) fn max_pool<E: Element>(x: &[E], planes: usize, pooled: &Pooled) -> Buffer<E> {
    max_with::<E, false>(x, planes, pooled).0
}

/// The same, and the position of each in its plane: the first of several equal ones, or the first NaN.
pub(crate) fn max_pool_with_positions<E: Element>(
    x: &[E],
    planes: usize,
    pooled: &Pooled,
) -> (Buffer<E>, Buffer<usize>) {
    max_with::<E, true>(x, planes, pooled)
}

/// Positions are told if `AT`.
fn max_with<E: Element, const AT: bool>(
    x: &[E],
    planes: usize,
    pooled: &Pooled,
) -> (Buffer<E>, Buffer<usize>) {
    let Pooled { rows, columns, .. } = pooled;
    let (area, area_out) = (rows.input * columns.input, rows.output * columns.output);
    let mut best = Buffer::dirty(planes * area_out);
    let mut at = Buffer::dirty(if AT { planes * area_out } else { 0 });
    if best.is_empty() {
        return (best, at);
    }
    let (values, positions) = (Parts::new(best.fresh()), Parts::new(at.fresh()));
    let each = (parallel::CHUNK / area.max(area_out)).max(1);
    let work = planes * area_out * rows.kernel * columns.kernel;
    parallel::for_each(planes.div_ceil(each), work, &|chunk| {
        let chunk = chunk * each..((chunk + 1) * each).min(planes);
        let x = &x[chunk.start * area..chunk.end * area];
        let range = chunk.start * area_out..chunk.end * area_out;
        let no_positions = 0..0;
        // SAFETY: each plane is worked on once, and planes do not overlap.
        let (values, positions) = unsafe {
            (
                values.part(range.clone()),
                positions.part(if AT { range } else { no_positions }),
            )
        };
        if columns.output < MIN_COLUMNS {
            place_by_place::<E, AT>(x, values, positions, pooled);
        } else {
            max_of_planes::<E, AT>(x, values, positions, pooled);
        }
    });
    (best, at)
}

fn place_by_place<E: Element, const AT: bool>(
    x: &[E],
    values: &mut [E],
    positions: &mut [usize],
    Pooled { rows, columns, .. }: &Pooled,
) {
    let (area, area_out) = (rows.input * columns.input, rows.output * columns.output);
    for (number, value) in values.iter_mut().enumerate() {
        let plane = &x[number / area_out * area..][..area];
        let (i, j) = (number % area_out / columns.output, number % columns.output);
        let mut found: Option<(E, usize)> = None;
        for row in rows.each_under(i) {
            for column in columns.each_under(j) {
                let here = row * columns.input + column;
                let new = plane[here];
                if found.is_none_or(|(old, _)| new > old || (new.is_nan() && !old.is_nan())) {
                    found = Some((new, here));
                }
            }
        }
        let (largest, here) = found.expect("a window that lies on its axis");
        *value = largest;
        if AT {
            positions[number] = here;
        }
    }
}

/// Adds each of `grad` to the entry of `sum` that it belongs to; planes have so many elements there and here.
pub(crate) fn max_pool_grad<E: Element>(
    sum: &mut [E],
    grad: &[E],
    at: &[usize],
    [area, area_out]: [usize; 2],
) {
    if area_out == 0 {
        return;
    }
    let each = (parallel::CHUNK / area.max(area_out)).max(1);
    let work = sum.len();
    parallel::rows(sum, each * area, work, &|start: usize, piece: &mut [E]| {
        let from = start / area * area_out;
        let of_planes = grad[from..]
            .chunks_exact(area_out)
            .zip(at[from..].chunks_exact(area_out));
        for (sum, (grad, at)) in piece.chunks_exact_mut(area).zip(of_planes) {
            for (&g, &at) in grad.iter().zip(at) {
                sum[at] += g;
            }
        }
    });
}

widest! {
    /// The largest entries of these planes, and where they stand if `AT`.
    fn max_of_planes<E, const AT: bool>(x: &[E], values: &mut [E], positions: &mut [usize], pooled: &Pooled) = of_planes;
}

#[inline(always)]
fn of_planes<E: Element, const AT: bool>(
    x: &[E],
    values: &mut [E],
    positions: &mut [usize],
    Pooled { rows, columns, .. }: &Pooled,
) {
    let (width, width_out) = (columns.input, columns.output);
    // Where each column of the window lies inside the axis.
    let inside: Vec<Range<usize>> = (0..columns.kernel).map(|l| columns.inside(l)).collect();
    // For each place in a row, which entry of the window is the largest so far.
    let mut taps = vec![0u32; if AT { width_out } else { 0 }];
    for (number, best) in values.chunks_exact_mut(width_out).enumerate() {
        let (plane, i) = (number / rows.output, number % rows.output);
        // Places from here on have met an entry: the first one counts, whatever it is.
        let mut met = width_out;
        for k in 0..rows.kernel {
            let Some(row) = (i * rows.stride + k * rows.dilation).checked_sub(rows.before) else {
                continue;
            };
            if row >= rows.input {
                break;
            }
            let line = &x[(plane * rows.input + row) * width..][..width];
            for (l, inside) in inside.iter().enumerate() {
                let tap = (k * columns.kernel + l) as u32;
                let first = met.clamp(inside.start, inside.end);
                for place in inside.start..first {
                    best[place] = line[columns.at(place, l)];
                    if AT {
                        taps[place] = tap;
                    }
                }
                if first < inside.end {
                    let line = &line[columns.at(first, l)..];
                    let taps = if AT {
                        &mut taps[first..inside.end]
                    } else {
                        &mut [][..]
                    };
                    let best = &mut best[first..inside.end];
                    match columns.stride {
                        1 => larger::<E, AT, 1>(best, taps, line, 1, tap),
                        2 => larger::<E, AT, 2>(best, taps, line, 2, tap),
                        stride => larger::<E, AT, 0>(best, taps, line, stride, tap),
                    }
                }
                met = met.min(inside.start);
            }
            met = 0;
        }
        if AT {
            let positions = &mut positions[number * width_out..][..width_out];
            for (place, (position, &tap)) in positions.iter_mut().zip(&taps).enumerate() {
                let (k, l) = (tap as usize / columns.kernel, tap as usize % columns.kernel);
                *position = rows.at(i, k) * width + columns.at(place, l);
            }
        }
    }
}

/// Takes each entry of `line`, `STRIDE` apart, that is larger than the one before, or the first NaN. A `STRIDE` of 0 is
/// one that is not known before the program runs.
#[inline(always)]
fn larger<E: Element, const AT: bool, const STRIDE: usize>(
    best: &mut [E],
    taps: &mut [u32],
    line: &[E],
    stride: usize,
    tap: u32,
) {
    // No index in the loops, so that nothing is checked there and several entries are compared at once.
    match STRIDE {
        1 => larger_of::<E, AT>(best, taps, line.iter().copied(), tap),
        2 => {
            let (last, others) = best.split_last_mut().expect("a place for a window");
            let n = others.len();
            let pairs = line.chunks_exact(2).map(|pair| pair[0]);
            larger_of::<E, AT>(others, taps, pairs, tap);
            let last = std::slice::from_mut(last);
            let taps = if AT { &mut taps[n..] } else { taps };
            larger_of::<E, AT>(last, taps, line[2 * n..].iter().copied(), tap);
        }
        _ => larger_of::<E, AT>(best, taps, line.iter().step_by(stride).copied(), tap),
    }
}

#[inline(always)]
fn larger_of<E: Element, const AT: bool>(
    best: &mut [E],
    taps: &mut [u32],
    new: impl Iterator<Item = E>,
    tap: u32,
) {
    let is_larger = |new: E, best: E| (new > best) | (new.is_nan() & !best.is_nan());
    if AT {
        for ((best, at), new) in best.iter_mut().zip(taps).zip(new) {
            let larger = is_larger(new, *best);
            *best = if larger { new } else { *best };
            *at = if larger { tap } else { *at };
        }
    } else {
        for (best, new) in best.iter_mut().zip(new) {
            *best = if is_larger(new, *best) { new } else { *best };
        }
    }
}

impl Sweep {
    /// The entries of the axis under a window without gaps at `place`.
    pub(crate) fn under(&self, place: usize) -> Range<usize> {
        let start = place * self.stride;
        let end = (start + self.kernel).min(self.input + self.before);
        start.saturating_sub(self.before)..end.saturating_sub(self.before)
    }

    /// The entries of the axis under the window at `place`.
    fn each_under(&self, place: usize) -> impl Iterator<Item = usize> + Clone {
        let start = place * self.stride;
        let (before, dilation) = (self.before, self.dilation);
        let first = before.saturating_sub(start).div_ceil(dilation);
        let end = (self.input + before)
            .saturating_sub(start)
            .div_ceil(dilation)
            .min(self.kernel);
        (first..end).map(move |k| start + k * dilation - before)
    }

    /// How many entries of the axis and its padding lie under a window without gaps at `place`.
    pub(crate) fn covered(&self, place: usize) -> usize {
        let start = place * self.stride;
        (start + self.kernel).min(self.input + 2 * self.before) - start
    }
}
