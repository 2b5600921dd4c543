//! Products of two strided matrices: the door to the `matrixmultiply` crate.

/// The sizes of a product: `m × k` times `k × n`.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Rows of the result.
    pub m: usize,
    /// The axis summed over.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
}

/// An operand: its values, and the steps from one row and from one column to the next.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a, E> {
    /// The values, from the first row's first column.
    pub values: &'a [E],
    /// Elements from a row to the next.
    pub row: usize,
    /// Elements from a column to the next.
    pub column: usize,
}

impl<'a, E> Operand<'a, E> {
    /// A row-major matrix of `columns` columns.
    pub(crate) fn plain(values: &'a [E], columns: usize) -> Self {
        Operand {
            values,
            row: columns,
            column: 1,
        }
    }

    /// The transpose of a row-major matrix of `columns` columns.
    pub(crate) fn transposed(values: &'a [E], columns: usize) -> Self {
        Operand {
            values,
            row: 1,
            column: columns,
        }
    }

    /// The operand without its first `i` rows.
    pub(crate) fn skip_rows(self, i: usize) -> Self {
        Operand {
            values: &self.values[(i * self.row).min(self.values.len())..],
            ..self
        }
    }

    fn check(&self, rows: usize, columns: usize) {
        if rows > 0 && columns > 0 {
            let last = (rows - 1) * self.row + (columns - 1) * self.column;
            assert!(
                last < self.values.len(),
                "matrix product: an operand is too short"
            );
        }
    }
}

macro_rules! gemm {
    ($($(#[$doc:meta])* $name:ident: $kernel:path, $E:ty;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(size: Size, a: Operand<'_, $E>, b: Operand<'_, $E>, beta: $E, c: &mut [$E]) {
            let Size { m, k, n } = size;
            a.check(m, k);
            b.check(k, n);
            assert_eq!(c.len(), m * n, "matrix product: the result has another size");
            // SAFETY: every element the kernel reads or writes lies inside the slices, as checked
            // above; `c` is row-major, borrowed mutably, and so overlaps neither operand.
            unsafe {
                $kernel(
                    m, k, n, 1.0,
                    a.values.as_ptr(), a.row as isize, a.column as isize,
                    b.values.as_ptr(), b.row as isize, b.column as isize,
                    beta,
                    c.as_mut_ptr(), n as isize, 1,
                );
            }
        }
    )*};
}

gemm! {
    /// `c = a·b + beta·c` in `f32`.
    single: matrixmultiply::sgemm, f32;
    /// `c = a·b + beta·c` in `f64`.
    double: matrixmultiply::dgemm, f64;
}
