//! The form of shape that a function asks for: a single number, a vector, a square, a matrix at least.
//!
//! ```text
//! SingleNumber   ()                  backward, item
//! OneAxis        (N,)                arange, linspace
//! Square         (N, N)              eye
//! TwoAxes        (.., M, N)          t
//! ```
//!
//! They are bounds of methods and not types of their receivers, so that the compiler says what is asked
//! for; of a method that exists for another type it would say that there is none.

use super::axis::Axis;

/// The shape of a single number, `()`.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` is not that of a single number",
    label = "a single number is wanted here",
    note = "`sum()` and `mean()` reduce a tensor to a single number",
    note = "`backward_with` takes a seed for any shape; `x[[i, j]]` reads one element of a matrix"
)]
pub trait SingleNumber {}
impl SingleNumber for () {}

/// The shape of a vector.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` is not that of a vector",
    label = "a shape of one axis is wanted here",
    note = "`reshape` arranges the elements of a vector in any shape"
)]
pub trait OneAxis {}
impl<A: Axis> OneAxis for (A,) {}

/// The shape of a matrix with as many rows as columns.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` is not square",
    label = "as many rows as columns are wanted here"
)]
pub trait Square {
    /// Both axes.
    type Axis: Axis;
}
impl<A: Axis> Square for (A, A) {
    type Axis = A;
}

/// A shape of two axes or more.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no two axes to transpose",
    label = "a shape of at least two axes is wanted here",
    note = "`t()` exchanges the last two axes; `unsqueeze` makes a row or a column of a vector"
)]
pub trait TwoAxes {}
macro_rules! two_axes {
    (5: $($L:ident)*) => {};
    ($r:literal: $($L:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($L: Axis,)* M: Axis, N: Axis> TwoAxes for ($($L,)* M, N) {}
    };
}
each_rank_below_max! { two_axes }
