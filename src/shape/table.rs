//! A table is a matrix whose rows are looked up by number.
//!
//! ```text
//! (Dim<100>, Dim<16>)   rows of Dim<16>, by indices below 100
//! ```

use super::axis::{Axis, Dim, One};

/// The shape of a table of `V` rows.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` is not that of a table of rows",
    label = "a matrix is wanted here, `{Self}` is none",
    note = "`embedding` looks up rows of a matrix `(Dim<V>, D)` by `Indices` below V; along an axis of other tensors, `index_select` does"
)]
pub trait TableOf<const V: usize> {}
impl<const V: usize, D: Axis> TableOf<V> for (Dim<V>, D) {}
impl<D: Axis> TableOf<1> for (One, D) {}

/// The rows of a table. That the shape is one is [`TableOf`]'s to say, so that its error is met after the type
/// of the result is known.
pub trait Table {
    /// The axis along a row.
    type Row: Axis;
    /// The size of a row.
    const WIDTH: usize;
}

macro_rules! table {
    (2: $A:ident $B:ident) => {
        impl<$A: Axis, $B: Axis> Table for ($A, $B) {
            type Row = $B;
            const WIDTH: usize = $B::SIZE;
        }
    };
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis),*> Table for ($($A,)*) {
            type Row = One;
            const WIDTH: usize = 1;
        }
    };
}
each_rank! { table }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn a_table_has_rows() {
        fn rows<S: Table + TableOf<V>, const V: usize>() -> [usize; 2] {
            [V, S::WIDTH]
        }
        same(P::<<shape![100, 16] as Table>::Row>, P::<Dim<16>>);
        assert_eq!(rows::<shape![100, 16], 100>(), [100, 16]);
        assert_eq!(rows::<shape![1, 16], 1>(), [1, 16]);
    }
}
