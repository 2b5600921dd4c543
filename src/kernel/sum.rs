//! Sums that stay accurate at any length.
//!
//! Pairwise summation (Higham, Accuracy and Stability of Numerical Algorithms, 4.2): halves are summed
//! apart, so the rounding error grows with the logarithm of the length, not with the length.

use crate::element::Element;

/// Independent partial sums, enough to fill the widest vector registers.
const LANES: usize = 32;
/// Rows of [`LANES`] elements that are added in pairs, all in registers.
const LEAF: usize = 8;
/// Elements whose lanes are added up before the lanes are.
const BLOCK: usize = 2 * LEAF * LANES;

/// The sum of a slice.
pub(crate) fn sum<E: Element>(x: &[E]) -> E {
    sum_by(x, |value| value)
}

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
    let mut lanes = lanes(x, f);
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

/// The sums of every [`LANES`]th element of up to a block.
fn lanes<E: Element>(x: &[E], f: &impl Fn(E) -> E) -> [E; LANES] {
    let mut sums = [E::zero(); LANES];
    if x.len() > LEAF * LANES {
        let (first, second) = x.split_at(LEAF * LANES);
        let (first, second) = (lanes(first, f), lanes(second, f));
        for (sum, (a, b)) in sums.iter_mut().zip(first.into_iter().zip(second)) {
            *sum = a + b;
        }
        return sums;
    }
    let (rows, rest) = x.as_chunks::<LANES>();
    if let [a, b, c, d, e, g, h, k] = rows {
        for (i, sum) in sums.iter_mut().enumerate() {
            let first = (f(a[i]) + f(b[i])) + (f(c[i]) + f(d[i]));
            *sum = first + ((f(e[i]) + f(g[i])) + (f(h[i]) + f(k[i])));
        }
        return sums;
    }
    for row in rows {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum += f(value);
        }
    }
    for (sum, &value) in sums.iter_mut().zip(rest) {
        *sum += f(value);
    }
    sums
}

/// Columns summed together: partial sums of this width stay in the nearest cache.
const TILE: usize = 64;
/// The width of the partial sums where there are no more columns than this.
const NARROW: usize = 8;
/// Rows that are added in pairs, all in registers.
const ROWS: usize = 4;

/// Adds up the rows of a matrix of `out.len()` columns: `out[i]` becomes the sum of `f(row[i], i)`.
pub(super) fn sum_rows<E: Element>(x: &[E], out: &mut [E], f: &impl Fn(E, usize) -> E) {
    let width = out.len();
    if width == 0 {
        return;
    }
    let rows = x.len() / width;
    if width <= NARROW {
        return columns::<E, NARROW>(x, width, 0, 0..rows, out, f);
    }
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        columns::<E, TILE>(x, width, tile * TILE, 0..rows, out, f);
    }
}

/// Adds up `rows` from column `first` on; there are no more than `T` columns.
fn columns<E: Element, const T: usize>(
    x: &[E],
    width: usize,
    first: usize,
    rows: std::ops::Range<usize>,
    out: &mut [E],
    f: &impl Fn(E, usize) -> E,
) {
    if rows.len() > ROWS {
        let half = rows.start + (rows.len() / 2).next_multiple_of(ROWS);
        columns::<E, T>(x, width, first, rows.start..half, out, f);
        let mut second = [E::zero(); T];
        let second = &mut second[..out.len()];
        columns::<E, T>(x, width, first, half..rows.end, second, f);
        for (out, &value) in out.iter_mut().zip(&*second) {
            *out += value;
        }
        return;
    }
    let n = out.len();
    let row = |row: usize| &x[row * width + first..][..n];
    if rows.len() == ROWS {
        let (a, b) = (row(rows.start), row(rows.start + 1));
        let (c, d) = (row(rows.start + 2), row(rows.start + 3));
        for (i, out) in out.iter_mut().enumerate() {
            let f = |value| f(value, first + i);
            *out = (f(a[i]) + f(b[i])) + (f(c[i]) + f(d[i]));
        }
        return;
    }
    out.fill(E::zero());
    for values in rows.map(row) {
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

    #[test]
    fn ones_beside_a_large_number_are_not_lost() {
        const LARGE: f32 = 16_777_216.0;
        for place in [0, 1, 255, 256, 500, 800, 1000] {
            let mut x = vec![1.0f32; 1001];
            x[place] = LARGE;
            let near = |sum: f32| (sum - (LARGE + 1000.0)).abs() <= 8.0;
            assert!(near(sum_by(&x, |v| v)), "place {place}");
            let columns: Vec<f32> = x.iter().flat_map(|&v| [v; 9]).collect();
            let mut out = [0.0; 9];
            sum_rows(&columns, &mut out, &|v, _| v);
            assert!(out.into_iter().all(near), "place {place}");
        }
    }
}
