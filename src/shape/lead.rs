//! The first axis of a shape, apart from the others, and a shape with one more axis in front: what a function that
//! is mapped takes away and puts back.
//!
//! ```text
//! Leading      (Dim<8>, Dim<3>, Dim<2>)            -> Dim<8> and (Dim<3>, Dim<2>)
//! Prepend      (Dim<3>,) behind an axis of Dim<8>  -> (Dim<8>, Dim<3>)
//! ```

use super::axis::Axis;
use super::rank::Rank;
use super::tuple::AnyShape;

/// A shape with a first axis.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axis to map over",
    label = "this has no first axis",
    note = "`vmap` calls the function with the entries along the first axis of each input"
)]
pub trait Leading: AnyShape {
    /// The first axis.
    type First: Axis;
    /// The other axes.
    type Rest: AnyShape;
    /// The first axis, and the others as one axis `F`.
    type Flat<F: Axis>: AnyShape<Rank = Rank<2>>;
}

/// There is room for an axis `A` before the first.
#[diagnostic::on_unimplemented(
    message = "cannot put an axis `{A}` in front of the shape `{Self}`",
    label = "no room for one more axis",
    note = "shapes have at most 6 axes"
)]
pub trait Prepend<A>: AnyShape {
    /// The shape with `A` before its first axis.
    type Output: AnyShape;
}

macro_rules! lead {
    ($r:literal: $($A:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<X: Axis, $($A: Axis,)*> Leading for (X, $($A,)*) {
            type First = X;
            type Rest = ($($A,)*);
            type Flat<F: Axis> = (X, F);
        }
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* X: Axis> Prepend<X> for ($($A,)*) {
            type Output = (X, $($A,)*);
        }
    };
}
each_rank_below_max! { lead }

/// The same number of examples.
#[diagnostic::on_unimplemented(
    message = "the inputs of `vmap` have different numbers of examples: `{Self}` and `{N}`",
    label = "the first axes of these inputs differ",
    note = "`vmap` takes one entry along the first axis of each input at a time; what all examples share is captured by the function, not passed to it"
)]
pub trait AsMany<N> {}
impl<A: Axis> AsMany<A> for A {}

/// Refuses a map over an axis of size 0, which has no example to call the function with.
///
/// # Panics
/// At compile time, if it has.
#[track_caller]
pub const fn check_examples<N: Axis>() {
    if N::SIZE == 0 {
        panic!("vmap: the first axis of the inputs has size 0, and the function needs an example");
    }
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::super::{Dim, One};
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn an_axis_is_taken_away_and_put_back() {
        same(P::<<shape![8, 3] as Leading>::First>, P::<Dim<8>>);
        same(P::<<shape![8, 3] as Leading>::Rest>, P::<shape![3]>);
        same(P::<<(One,) as Leading>::Rest>, P::<()>);
        same(P::<<() as Prepend<One>>::Output>, P::<(One,)>);
        same(
            P::<<shape![2, 3, 4, 5, 6] as Prepend<Dim<7>>>::Output>,
            P::<shape![7, 2, 3, 4, 5, 6]>,
        );
    }
}
