//! A shape of rows: lines along its last axis, one for each entry of the axes before it.
//!
//! ```text
//! (Dim<32>, Dim<10>)   Batch = (Dim<32>,), WIDTH = 10
//! ```

use super::axis::Axis;
use super::tuple::AnyShape;

/// A shape that has a last axis, along which its rows lie.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no rows",
    label = "a shape of at least one axis is wanted here",
    note = "rows lie along the last axis; what is said of each has the shape of the axes before it"
)]
pub trait Rows {
    /// The axes before the last: one entry for each row.
    type Batch: AnyShape;
    /// The length of a row.
    const WIDTH: usize;
}

macro_rules! rows {
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis,)* X: Axis> Rows for ($($A,)* X,) {
            type Batch = ($($A,)*);
            const WIDTH: usize = X::SIZE;
        }
    };
}
each_rank_below_max! { rows }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn rows_lie_along_the_last_axis() {
        same(P::<<shape![10] as Rows>::Batch>, P::<()>);
        same(P::<<shape![2, 3, 4] as Rows>::Batch>, P::<shape![2, 3]>);
        assert_eq!(<shape![2, 3, 4] as Rows>::WIDTH, 4);
    }
}
