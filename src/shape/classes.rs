//! Scores of C classes are the entries of a shape's last axis.
//!
//! ```text
//! scores    (Dim<32>, Dim<10>)           Classes<10>, Batch = (Dim<32>,)
//! targets   (Dim<32>,), below 10         one class for each entry of the batch
//! ```

use super::axis::{Axis, Dim, One};
use super::tuple::AnyShape;

/// An axis of scores of `C` classes.
#[diagnostic::on_unimplemented(
    message = "the targets name one of {C} classes, the scores have a last axis `{Self}`",
    label = "the last axis is `{Self}`",
    note = "the last axis of the scores has one entry for each class"
)]
pub trait ClassAxis<const C: usize> {}
impl<const N: usize> ClassAxis<N> for Dim<N> {}
impl ClassAxis<1> for One {}

/// A shape whose last axis scores `C` classes.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axis of classes",
    label = "a shape of at least one axis is wanted here",
    note = "the last axis of the scores has one entry for each class"
)]
pub trait Classes<const C: usize> {
    /// The axes before the last: what is classified.
    type Batch: AnyShape;
}

macro_rules! classes {
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis,)* X: Axis + ClassAxis<COUNT>, const COUNT: usize> Classes<COUNT> for ($($A,)* X,) {
            type Batch = ($($A,)*);
        }
    };
}
each_rank_below_max! { classes }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn what_is_classified_is_everything_before_the_last_axis() {
        same(P::<<shape![10] as Classes<10>>::Batch>, P::<()>);
        same(P::<<shape![32, 10] as Classes<10>>::Batch>, P::<shape![32]>);
        same(
            P::<<shape![32, 16, 1] as Classes<1>>::Batch>,
            P::<shape![32, 16]>,
        );
    }
}
