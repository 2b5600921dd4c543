//! Diagonals and triangles of matrices.

use crate::element::Element;
use crate::storage::{Buffer, Plain};

/// A diagonal in each of many matrices.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    columns: usize,
    /// The elements of a matrix.
    numel: usize,
    /// Where the diagonal starts.
    first: usize,
    /// How long it is.
    pub(crate) len: usize,
}

impl Line {
    /// The diagonal of matrices of `[rows, columns]` where column − row is `offset`.
    pub(crate) fn new([rows, columns]: [usize; 2], offset: isize) -> Line {
        let skipped = offset.unsigned_abs();
        let (first, len) = if offset >= 0 {
            (skipped, rows.min(columns.saturating_sub(skipped)))
        } else {
            (skipped * columns, rows.saturating_sub(skipped).min(columns))
        };
        Line {
            columns,
            numel: rows * columns,
            first,
            len,
        }
    }

    /// Where element `i` of all diagonals stands.
    fn place(&self, i: usize) -> usize {
        i / self.len * self.numel + self.first + i % self.len * (self.columns + 1)
    }

    /// The diagonals.
    pub(crate) fn of<T: Plain>(&self, x: &[T]) -> Buffer<T> {
        let count = x.len().checked_div(self.numel).unwrap_or(0);
        Buffer::from_fn(count * self.len, |i| x[self.place(i)])
    }

    /// Adds `values(0)` to `values(count - 1)` to the elements of the diagonals.
    pub(crate) fn add_to<E: Element>(
        &self,
        sum: &mut [E],
        count: usize,
        values: impl Fn(usize) -> E,
    ) {
        for i in 0..count {
            sum[self.place(i)] += values(i);
        }
    }
}

/// Zeros where column − row > `diagonal`, in matrices of `[rows, columns]`.
pub(crate) fn clear_above<E: Element>(x: &mut [E], sides: [usize; 2], diagonal: isize) {
    each_row(x, sides, diagonal, |row, kept| row[kept..].fill(E::zero()));
}

/// Zeros where column − row < `diagonal`, in matrices of `[rows, columns]`.
pub(crate) fn clear_below<E: Element>(x: &mut [E], sides: [usize; 2], diagonal: isize) {
    each_row(x, sides, diagonal.saturating_sub(1), |row, cleared| {
        row[..cleared].fill(E::zero());
    });
}

/// Calls `at` with each row and the number of its columns up to and with column − row = `diagonal`.
#[inline(always)]
fn each_row<E>(
    x: &mut [E],
    [rows, columns]: [usize; 2],
    diagonal: isize,
    at: impl Fn(&mut [E], usize),
) {
    if x.is_empty() {
        return;
    }
    for (i, row) in x.chunks_exact_mut(columns).enumerate() {
        let end = (i % rows).saturating_add_signed(diagonal.saturating_add(1));
        // Below the matrix, where `saturating_add_signed` stops at 0, and right of it.
        at(row, end.min(columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagonals_of_any_offset() {
        for (rows, columns) in [(3, 3), (2, 4), (4, 2), (1, 1), (0, 3), (3, 0)] {
            let x: Vec<f64> = (0..2 * rows * columns).map(|i| i as f64).collect();
            for offset in -5..=5 {
                let expected: Vec<f64> = (0..x.len())
                    .filter(|i| (i % columns) as isize - (i / columns % rows) as isize == offset)
                    .map(|i| x[i])
                    .collect();
                let line = Line::new([rows, columns], offset);
                assert_eq!(&*line.of(&x), expected, "{offset} of {rows} by {columns}");
                let mut sum = vec![0.0; x.len()];
                line.add_to(&mut sum, expected.len(), |i| expected[i]);
                assert_eq!(sum.iter().sum::<f64>(), expected.iter().sum::<f64>());
            }
        }
    }

    #[test]
    fn triangles_of_any_diagonal() {
        for (rows, columns) in [(3, 3), (2, 4), (4, 2), (1, 1)] {
            for diagonal in [isize::MIN, -9, -2, -1, 0, 1, 2, 9, isize::MAX] {
                let ones = vec![1.0f32; 2 * rows * columns];
                let (mut lower, mut upper) = (ones.clone(), ones);
                clear_above(&mut lower, [rows, columns], diagonal);
                clear_below(&mut upper, [rows, columns], diagonal);
                for i in 0..lower.len() {
                    let (row, column) = (i / columns % rows, i % columns);
                    let place = column as isize - row as isize;
                    assert_eq!(lower[i] == 1.0, place <= diagonal, "{diagonal} at {i}");
                    assert_eq!(upper[i] == 1.0, place >= diagonal, "{diagonal} at {i}");
                }
            }
        }
    }
}
