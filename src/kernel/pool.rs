//! The largest entry under each place of a window, and where it stands.

use super::parallel::{self, Parts};
use crate::element::Element;
use crate::shape::{Pooled, Sweep};
use crate::storage::Buffer;
use std::ops::Range;

/// For each plane and each place of the window the largest entry, and its position in the plane: the first of
/// several equal ones, or the first NaN. What lies in padding does not take part.
pub(crate) fn max_pool<E: Element>(
    x: &[E],
    planes: usize,
    Pooled { rows, columns, .. }: &Pooled,
) -> (Buffer<E>, Buffer<usize>) {
    let (area, area_out) = (rows.input * columns.input, rows.output * columns.output);
    let (mut best, mut at) = (
        Buffer::dirty(planes * area_out),
        Buffer::dirty(planes * area_out),
    );
    let (values, positions) = (Parts::new(best.fresh()), Parts::new(at.fresh()));
    let each = (parallel::CHUNK / area.max(area_out).max(1)).max(1);
    let work = planes * area_out * rows.kernel * columns.kernel;
    parallel::for_each(planes.div_ceil(each), work, &|chunk| {
        for plane in chunk * each..((chunk + 1) * each).min(planes) {
            let range = plane * area_out..(plane + 1) * area_out;
            // SAFETY: each plane is worked on once, and planes do not overlap.
            let (values, positions) =
                unsafe { (values.part(range.clone()), positions.part(range)) };
            let x = &x[plane * area..][..area];
            for (place, (value, position)) in values.iter_mut().zip(positions).enumerate() {
                let (i, j) = (place / columns.output, place % columns.output);
                let mut found: Option<(E, usize)> = None;
                for row in rows.each_under(i) {
                    for column in columns.each_under(j) {
                        let here = row * columns.input + column;
                        let new = x[here];
                        if found.is_none_or(|(old, _)| new > old || (new.is_nan() && !old.is_nan()))
                        {
                            found = Some((new, here));
                        }
                    }
                }
                (*value, *position) = found.expect("a window that lies on its axis");
            }
        }
    });
    (best, at)
}

impl Sweep {
    /// The entries of the axis under a window without gaps at `place`.
    pub(crate) fn under(&self, place: usize) -> Range<usize> {
        let start = place * self.stride;
        let end = (start + self.kernel).min(self.input + self.before);
        start.saturating_sub(self.before)..end.saturating_sub(self.before)
    }

    /// How many entries of the axis and its padding lie under a window without gaps at `place`.
    pub(crate) fn covered(&self, place: usize) -> usize {
        let start = place * self.stride;
        (start + self.kernel).min(self.input + 2 * self.before) - start
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
}
