//! Weighted means of neighbours, along rows and along columns: averages over windows, and interpolation.
//!
//! All of them are a sum along columns and a sum along rows, each with weights that depend on the place
//! alone. Both are told by [`Taps`], so that there is one loop forward and one backward.

use super::parallel;
use crate::element::Element;
use crate::storage::Buffer;

/// For each place of the result along one axis: the entries that it is made of, their weights, and by what
/// the sum is divided.
pub(crate) struct Taps<E> {
    /// Entries of the axis.
    input: usize,
    /// For each place: the first entry, and where its weights start.
    places: Vec<(usize, usize)>,
    weights: Vec<E>,
    divisors: Vec<E>,
}

impl<E: Element> Taps<E> {
    pub(crate) fn new(input: usize) -> Self {
        Taps {
            input,
            places: Vec::new(),
            weights: Vec::new(),
            divisors: Vec::new(),
        }
    }

    /// Adds a place made of the entries from `first` on.
    pub(crate) fn push(&mut self, first: usize, weights: impl IntoIterator<Item = E>, divisor: E) {
        self.places.push((first, self.weights.len()));
        self.weights.extend(weights);
        self.divisors.push(divisor);
    }

    fn output(&self) -> usize {
        self.places.len()
    }

    /// The entries of place `i` with their weights.
    fn of(&self, i: usize) -> impl Iterator<Item = (usize, E)> + '_ {
        let (first, start) = self.places[i];
        let end = self
            .places
            .get(i + 1)
            .map_or(self.weights.len(), |next| next.1);
        (first..).zip(self.weights[start..end].iter().copied())
    }
}

/// Each plane of `x` resampled.
pub(crate) fn resample<E: Element>(
    x: &[E],
    planes: usize,
    rows: &Taps<E>,
    columns: &Taps<E>,
) -> Buffer<E> {
    let (area, area_out) = (rows.input * columns.input, rows.output() * columns.output());
    let mut out = Buffer::dirty(planes * area_out);
    if out.is_empty() {
        return out;
    }
    let each = (parallel::CHUNK / area.max(area_out)).max(1);
    let work = planes * area.max(area_out);
    parallel::rows(
        out.fresh(),
        each * area_out,
        work,
        &|start: usize, piece: &mut [E]| {
            // The plane with its rows taken together already.
            let mut line = vec![E::zero(); columns.input];
            for (plane, out) in piece.chunks_exact_mut(area_out).enumerate() {
                let x = &x[(start / area_out + plane) * area..][..area];
                for (i, out) in out.chunks_exact_mut(columns.output()).enumerate() {
                    line.fill(E::zero());
                    for (row, weight) in rows.of(i) {
                        for (sum, &x) in line.iter_mut().zip(&x[row * columns.input..]) {
                            *sum += weight * x;
                        }
                    }
                    for (j, out) in out.iter_mut().enumerate() {
                        let mut sum = E::zero();
                        for (column, weight) in columns.of(j) {
                            sum += weight * line[column];
                        }
                        *out = sum / (rows.divisors[i] * columns.divisors[j]);
                    }
                }
            }
        },
    );
    out
}

/// The gradient of what was resampled.
pub(crate) fn resample_grad<E: Element>(
    grad: &[E],
    planes: usize,
    rows: &Taps<E>,
    columns: &Taps<E>,
) -> Buffer<E> {
    let (area, area_out) = (rows.input * columns.input, rows.output() * columns.output());
    let mut out = Buffer::filled(planes * area, E::zero());
    if out.is_empty() || area_out == 0 {
        return out;
    }
    let each = (parallel::CHUNK / area.max(area_out)).max(1);
    let work = planes * area.max(area_out);
    parallel::rows(
        out.fresh(),
        each * area,
        work,
        &|start: usize, piece: &mut [E]| {
            let mut line = vec![E::zero(); columns.input];
            for (plane, out) in piece.chunks_exact_mut(area).enumerate() {
                let grad = &grad[(start / area + plane) * area_out..][..area_out];
                for (i, grad) in grad.chunks_exact(columns.output()).enumerate() {
                    line.fill(E::zero());
                    for (j, &g) in grad.iter().enumerate() {
                        let g = g / (rows.divisors[i] * columns.divisors[j]);
                        for (column, weight) in columns.of(j) {
                            line[column] += weight * g;
                        }
                    }
                    for (row, weight) in rows.of(i) {
                        for (sum, &g) in out[row * columns.input..].iter_mut().zip(&line) {
                            *sum += weight * g;
                        }
                    }
                }
            }
        },
    );
    out
}
