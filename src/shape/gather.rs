//! Indices along an axis pick entries of it, if they are bounded by its size and lie as the other
//! axes do.
//!
//! ```text
//! x        (Dim<32>, Dim<10>)                  y[i][j] = x[i][index[i][j]]
//! index    (Dim<32>, Dim<3>), below 10         gather::<1, ..>
//! y        (Dim<32>, Dim<3>)
//! ```

use super::axis::{Axis, Dim, One};
use super::axis_at::HasAxis;

/// An axis whose positions are the whole numbers below `BOUND`.
#[diagnostic::on_unimplemented(
    message = "indices below {BOUND} do not fit an axis `{Self}`",
    label = "the bound of the indices is {BOUND}, the axis is `{Self}`",
    note = "`Indices<R, S, BOUND>` index an axis of exactly `BOUND` entries"
)]
pub trait IndexedBy<const BOUND: usize> {}
impl<const N: usize> IndexedBy<N> for Dim<N> {}
impl IndexedBy<1> for One {}

/// Two axes that are equal.
#[diagnostic::on_unimplemented(
    message = "the axes `{Self}` and `{Other}` differ",
    label = "`{Self}` stands opposite `{Other}`",
    note = "apart from the axis that is indexed, the indices must have the axes of the tensor"
)]
pub trait SameAxis<Other> {}
impl<const N: usize> SameAxis<Dim<N>> for Dim<N> {}
impl SameAxis<One> for One {}

/// Two shapes that are equal.
#[diagnostic::on_unimplemented(
    message = "the shapes `{Self}` and `{Other}` differ in rank",
    label = "`{Self}` stands opposite `{Other}`",
    note = "apart from the axis that is indexed, the indices must have the axes of the tensor"
)]
pub trait SameShape<Other> {}
macro_rules! same_shape {
    ([] [$($A:ident $B:ident),*]) => {
        impl<$($A: Axis + SameAxis<$B>, $B: Axis),*> SameShape<($($B,)*)> for ($($A,)*) {}
    };
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {};
}
each_alignment! { same_shape }

/// Indices of shape `Idx` below `BOUND` pick entries along `AXIS`; what they pick has shape `Idx`.
pub trait Gather<const AXIS: usize, Idx, const BOUND: usize>: HasAxis<AXIS> {
    /// The shape of the result: that of the indices.
    type Output: HasAxis<AXIS>;
}

impl<S, Idx, Rest, IdxRest, const AXIS: usize, const BOUND: usize> Gather<AXIS, Idx, BOUND> for S
where
    S: HasAxis<AXIS, Without = Rest>,
    Idx: HasAxis<AXIS, Without = IdxRest>,
    S::Axis: IndexedBy<BOUND>,
    Rest: SameShape<IdxRest>,
{
    type Output = Idx;
}
