//! A square matrix, or a batch of them, has a diagonal.
//!
//! ```text
//! trace   (.., N, N) -> (..)            diag   (.., N) -> (.., N, N)
//! ```

use super::axis::{Axis, Dim, One};
use super::tuple::AnyShape;

/// The rows of a square matrix, as many as its columns.
#[diagnostic::on_unimplemented(
    message = "a matrix of `{Self}` rows and `{Columns}` columns is not square",
    label = "`{Self}` rows, `{Columns}` columns",
    note = "the last two axes must be equal"
)]
pub trait SquareAxis<Columns> {}
impl<const N: usize> SquareAxis<Dim<N>> for Dim<N> {}
impl SquareAxis<One> for One {}

/// The last two axes are equal.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` is that of no matrix",
    label = "a shape of at least two axes is wanted here",
    note = "`(.., N, N)`: a square matrix, or a batch of them"
)]
pub trait SquareLast {}

/// The shape without its last two axes. That there are two, and that they are equal, is
/// [`SquareLast`]'s to say, so that its error is met after the type of the result is known.
pub trait HasDiagonal {
    /// The axes before the last two.
    type Batch: AnyShape;
    /// How many matrices there are.
    const COUNT: usize;
    /// The size of the last axis.
    const SIDE: usize;
}

impl HasDiagonal for () {
    type Batch = ();
    const COUNT: usize = 1;
    const SIDE: usize = 1;
}

impl<N: Axis> HasDiagonal for (N,) {
    type Batch = ();
    const COUNT: usize = 1;
    const SIDE: usize = N::SIZE;
}

/// A vector, or a batch of them, with room for one more axis of the same size.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no last axis to double, or no room for it",
    label = "no vector, or six axes already",
    note = "`(.., N)` becomes `(.., N, N)`; shapes have at most 6 axes"
)]
pub trait RoomForDiagonal {}

/// The shape with its last axis twice. That there is one, and room for another, is
/// [`RoomForDiagonal`]'s to say.
pub trait DoubleLast {
    /// The shape with its last axis twice.
    type Doubled: AnyShape;
    /// The size of the last axis.
    const SIDE: usize;
}

impl DoubleLast for () {
    type Doubled = ();
    const SIDE: usize = 1;
}

impl<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, N: Axis> DoubleLast for (A, B, C, D, E, N) {
    type Doubled = Self;
    const SIDE: usize = N::SIZE;
}

macro_rules! diagonal {
    (5: $($A:ident)*) => {};
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis,)* M: Axis + SquareAxis<N>, N: Axis> SquareLast for ($($A,)* M, N) {}

        impl<$($A: Axis,)* M: Axis, N: Axis> HasDiagonal for ($($A,)* M, N) {
            type Batch = ($($A,)*);
            const COUNT: usize = 1 $(* $A::SIZE)*;
            const SIDE: usize = N::SIZE;
        }

        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* N: Axis> RoomForDiagonal for ($($A,)* N,) {}

        impl<$($A: Axis,)* N: Axis> DoubleLast for ($($A,)* N,) {
            type Doubled = ($($A,)* N, N);
            const SIDE: usize = N::SIZE;
        }
    };
}
each_rank_below_max! { diagonal }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn a_diagonal_comes_and_goes() {
        same(P::<<shape![3, 3] as HasDiagonal>::Batch>, P::<()>);
        same(
            P::<<shape![2, 5, 3, 3] as HasDiagonal>::Batch>,
            P::<shape![2, 5]>,
        );
        assert_eq!(<shape![2, 5, 3, 3] as HasDiagonal>::COUNT, 10);
        same(
            P::<<shape![2, 3] as DoubleLast>::Doubled>,
            P::<shape![2, 3, 3]>,
        );
        same(P::<<shape![1] as DoubleLast>::Doubled>, P::<shape![1, 1]>);
    }
}
