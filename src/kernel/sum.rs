//! Sums that stay accurate at any length.
//!
//! Pairwise summation (Higham, Accuracy and Stability of Numerical Algorithms, 4.2): halves are summed
//! apart, so the rounding error grows with the logarithm of the length, not with the length.

use crate::element::Element;

/// Independent partial sums, enough to fill the widest vector registers and hide an addition's latency.
const LANES: usize = 32;
/// Elements that are summed without splitting: each lane adds this many divided by [`LANES`].
const BLOCK: usize = 512;

/// The sum of `f(x)` over a slice.
pub(crate) fn sum_by<E: Element>(x: &[E], f: impl Fn(E) -> E) -> E {
    pairwise(x, &f)
}

fn pairwise<E: Element>(x: &[E], f: &impl Fn(E) -> E) -> E {
    if x.len() > BLOCK {
        // Halves of whole blocks, so that only the last one has a ragged end.
        let half = (x.len() / 2).next_multiple_of(BLOCK);
        return pairwise(&x[..half], f) + pairwise(&x[half..], f);
    }
    let mut lanes = [E::zero(); LANES];
    let chunks = x.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += f(value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += f(value);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            let other = lanes[i + width];
            lanes[i] += other;
        }
        width /= 2;
    }
    lanes[0]
}

/// Columns summed together: partial sums of this width stay in registers and the nearest cache.
const TILE: usize = 64;
/// Rows that are summed without splitting.
const ROWS: usize = 32;

/// Adds up the rows of a matrix of `out.len()` columns: `out[i]` becomes the sum of `f(row[i], i)`.
pub(super) fn sum_rows<E: Element>(x: &[E], out: &mut [E], f: &impl Fn(E, usize) -> E) {
    let width = out.len();
    if width == 0 {
        return;
    }
    let rows = x.len() / width;
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        columns(x, width, tile * TILE, 0..rows, out, f);
    }
}

fn columns<E: Element>(
    x: &[E],
    width: usize,
    first: usize,
    rows: std::ops::Range<usize>,
    out: &mut [E],
    f: &impl Fn(E, usize) -> E,
) {
    if rows.len() > ROWS {
        let half = rows.start + (rows.len() / 2).next_multiple_of(ROWS);
        columns(x, width, first, rows.start..half, out, f);
        let mut second = [E::zero(); TILE];
        let second = &mut second[..out.len()];
        columns(x, width, first, half..rows.end, second, f);
        for (out, &value) in out.iter_mut().zip(&*second) {
            *out += value;
        }
        return;
    }
    out.fill(E::zero());
    for row in rows {
        let values = &x[row * width + first..][..out.len()];
        for (i, (out, &value)) in out.iter_mut().zip(values).enumerate() {
            *out += f(value, first + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_summed_exactly() {
        for len in (0..2000).chain([4095, 4096, 4097, 100_000]) {
            let x: Vec<f64> = (0..len).map(|i| i as f64).collect();
            assert_eq!(
                sum_by(&x, |v| v),
                (len as f64 - 1.0) * len as f64 / 2.0,
                "length {len}"
            );
        }
    }

    #[test]
    fn columns_are_summed_exactly_at_every_size() {
        for (rows, width) in [(0, 3), (1, 1), (33, 1), (64, 65), (1000, 130), (65, 200)] {
            let x: Vec<f64> = (0..rows * width).map(|i| i as f64).collect();
            let mut out = vec![7.0; width];
            sum_rows(&x, &mut out, &|v, i| v + i as f64);
            for (i, &sum) in out.iter().enumerate() {
                let right: usize = (0..rows).map(|r| r * width + 2 * i).sum();
                assert_eq!(sum, right as f64, "{rows} x {width}, column {i}");
            }
        }
    }

    #[test]
    fn sixteen_million_ones_lose_nothing() {
        let x = vec![1.0f32; (1 << 24) + 1000];
        assert_eq!(sum_by(&x, |v| v), 16_778_216.0);
        let mut out = [0.0];
        sum_rows(&x, &mut out, &|v, _| v);
        assert_eq!(out[0], 16_778_216.0);
    }
}
