//! A matrix, or a batch of them, has diagonals.
//!
//! ```text
//! trace   (.., N, N) -> (..)            diag        (.., N) -> (.., N, N)
//! diagonal           (.., R, C) -> (.., the shorter of R and C)
//! diagonal_above<K>  (.., R, C) -> (.., the shorter of R and C - K)
//! diagonal_below<K>  (.., R, C) -> (.., the shorter of R - K and C)
//! ```

use super::arith::{Natural, Number, ToAxis};
use super::axis::{Axis, Dim, One};
use super::message::Message;
use super::tuple::AnyShape;
use std::ops::Sub;
use typenum::{Diff, Min, Minimum};

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
    /// The last axis.
    type Last: Axis;
    /// The shape with `A` and `A` in its place.
    type Squared<A: Axis>: AnyShape;
}

impl DoubleLast for () {
    type Last = One;
    type Squared<A: Axis> = ();
}

impl<A: Axis, B: Axis, C: Axis, D: Axis, E: Axis, N: Axis> DoubleLast for (A, B, C, D, E, N) {
    type Last = N;
    type Squared<New: Axis> = Self;
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
            type Last = N;
            type Squared<New: Axis> = ($($A,)* New, New);
        }
    };
}
each_rank_below_max! { diagonal }

/// The shorter of this axis and an axis `Other`.
#[diagnostic::on_unimplemented(
    message = "the shorter of the axes `{Self}` and `{Other}` is not computed in types",
    label = "a size is too large, or generic",
    note = "sizes from 0 to 2047 are compared; for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Shorter<Other>: Axis {
    /// The shorter one.
    type Output: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, Other: Natural> Shorter<Other> for A
where
    A: Natural<N: Min<Other::N, Output: ToAxis>>,
{
    type Output = <Minimum<A::N, Other::N> as ToAxis>::Axis;
}

/// A matrix, or a batch of matrices.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no two axes, so it is no matrix",
    label = "a shape of at least two axes is wanted here",
    note = "the last two axes are the rows and columns of a matrix; `unsqueeze` makes a row or a column of a vector"
)]
pub trait Matrices {
    /// The last axis but one.
    type Rows: Axis;
    /// The last axis.
    type Columns: Axis;
    /// The shape with one axis in place of the last two.
    type Diagonal<A: Axis>: AnyShape;
}

macro_rules! matrices {
    (5: $($A:ident)*) => {};
    ($r:literal: $($A:ident)*) => {
        impl<$($A: Axis,)* M: Axis, N: Axis> Matrices for ($($A,)* M, N) {
            type Rows = M;
            type Columns = N;
            type Diagonal<New: Axis> = ($($A,)* New,);
        }
    };
}
each_rank_below_max! { matrices }

/// An axis without its first `K` entries.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` is not known to have {K} entries to leave out",
    label = "the axis `{Self}` is shorter than {K}, or its size is too large or generic",
    note = "a diagonal {K} beside the main one starts behind that many rows or columns; sizes from 0 to 2047 are computed with in types, for others, and in generic code, name the result with the `_as` form of the operation"
)]
pub trait Beyond<const K: usize>: Axis {
    /// What is left of it.
    type Output: Axis;
}

#[diagnostic::do_not_recommend]
impl<A, const K: usize> Beyond<K> for A
where
    Dim<K>: Natural,
    A: Natural<N: Sub<Number<K>, Output: ToAxis>>,
{
    type Output = <Diff<A::N, Number<K>> as ToAxis>::Axis;
}

/// Matrices with a diagonal `K` columns to the right of the main one.
pub trait AboveDiagonal<const K: usize>: Matrices {
    /// Its size.
    type Length: Axis;
}

impl<S, const K: usize> AboveDiagonal<K> for S
where
    S: Matrices<Columns: Beyond<K>>,
    S::Rows: Shorter<<S::Columns as Beyond<K>>::Output>,
{
    type Length = <S::Rows as Shorter<<S::Columns as Beyond<K>>::Output>>::Output;
}

/// Matrices with a diagonal `K` rows below the main one.
pub trait BelowDiagonal<const K: usize>: Matrices {
    /// Its size.
    type Length: Axis;
}

impl<S, const K: usize> BelowDiagonal<K> for S
where
    S: Matrices<Rows: Beyond<K>>,
    <S::Rows as Beyond<K>>::Output: Shorter<S::Columns>,
{
    type Length = <<S::Rows as Beyond<K>>::Output as Shorter<S::Columns>>::Output;
}

/// The size of the diagonal that starts behind `rows` rows or `columns` columns.
///
/// # Panics
/// At compile time, if there are not as many.
#[track_caller]
pub const fn diagonal_len<S: Matrices + AnyShape>(
    operation: &str,
    rows: usize,
    columns: usize,
) -> usize {
    let [all_rows, all_columns] = [S::Rows::SIZE, S::Columns::SIZE];
    if rows > all_rows || columns > all_columns {
        let (skipped, of) = if rows > all_rows {
            (rows, " rows")
        } else {
            (columns, " columns")
        };
        let message = Message::new(operation)
            .text(" the shape ")
            .tuple(S::DIMS)
            .text(" has no ")
            .number(skipped)
            .text(of)
            .text(" to leave out");
        panic!("{}", message.as_str());
    }
    let (rows, columns) = (all_rows - rows, all_columns - columns);
    if rows < columns { rows } else { columns }
}

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
            P::<<shape![2, 3] as DoubleLast>::Squared<Dim<3>>>,
            P::<shape![2, 3, 3]>,
        );
        same(
            P::<<shape![1] as DoubleLast>::Squared<One>>,
            P::<shape![1, 1]>,
        );
    }
    #[test]
    fn sizes_of_diagonals_are_computed() {
        same(P::<<Dim<5> as Shorter<Dim<3>>>::Output>, P::<Dim<3>>);
        same(P::<<Dim<3> as Shorter<Dim<3>>>::Output>, P::<Dim<3>>);
        same(P::<<One as Shorter<Dim<3>>>::Output>, P::<Dim<1>>);
        same(
            P::<<Dim<1025> as Shorter<Dim<1500>>>::Output>,
            P::<Dim<1025>>,
        );
        same(
            P::<<Dim<2047> as Shorter<Dim<2047>>>::Output>,
            P::<Dim<2047>>,
        );
        same(
            P::<<shape![2, 3, 5] as Matrices>::Diagonal<Dim<3>>>,
            P::<shape![2, 3]>,
        );
        fn beside<S: AboveDiagonal<K> + BelowDiagonal<K> + AnyShape, const K: usize>() -> [usize; 2]
        {
            let sizes = [
                <S as AboveDiagonal<K>>::Length::SIZE,
                <S as BelowDiagonal<K>>::Length::SIZE,
            ];
            assert_eq!(
                sizes,
                [diagonal_len::<S>("", 0, K), diagonal_len::<S>("", K, 0)]
            );
            sizes
        }
        assert_eq!(beside::<shape![3, 5], 0>(), [3, 3]);
        assert_eq!(beside::<shape![3, 5], 2>(), [3, 1]);
        assert_eq!(beside::<shape![3, 5], 3>(), [2, 0]);
        assert_eq!(beside::<shape![2, 4, 3], 1>(), [2, 3]);
        assert_eq!(beside::<shape![1500, 2047], 1025>(), [1022, 475]);
        assert_eq!(beside::<shape![2047, 2047], 2047>(), [0, 0]);
    }

    #[test]
    #[should_panic(expected = "diagonal_below_as: the shape (3, 5) has no 4 rows to leave out")]
    fn a_diagonal_below_the_matrix() {
        diagonal_len::<shape![3, 5]>("diagonal_below_as:", 4, 0);
    }
}
