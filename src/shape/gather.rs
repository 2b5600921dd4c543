//! Indices along an axis pick entries of it, if they are bounded by its size and lie as the other
//! axes do.
//!
//! ```text
//! x        (Dim<32>, Dim<10>)                  y[i][j] = x[i][index[i][j]]
//! index    (Dim<32>, Dim<3>), below 10         gather::<1, ..>
//! y        (Dim<32>, Dim<3>)
//! ```

use super::axis::{Axis, Dim, One};
use super::axis_at::{HasAxis, Split};

/// An axis whose positions are the whole numbers below `BOUND`.
#[diagnostic::on_unimplemented(
    message = "indices below {BOUND} do not fit an axis `{Self}`",
    label = "the bound of the indices is {BOUND}, the axis is `{Self}`",
    note = "`Indices<R, S, BOUND>` index an axis of exactly `BOUND` entries"
)]
pub trait IndexedBy<const BOUND: usize> {}
impl<const N: usize> IndexedBy<N> for Dim<N> {}
impl IndexedBy<1> for One {}

/// An axis of the indices that equals an axis `Axis` of what they index.
#[diagnostic::on_unimplemented(
    message = "the indices have an axis `{Self}` where the tensor has `{Axis}`",
    label = "an axis `{Self}` stands opposite an axis `{Axis}`",
    note = "the indices have the axes of the tensor, apart from the axis that they pick from (in `cross_entropy`, the last)"
)]
pub trait SameAxis<Axis> {}
impl<const N: usize> SameAxis<Dim<N>> for Dim<N> {}
impl SameAxis<One> for One {}

/// The other axes of the indices, equal to the other axes `Shape` of what they index.
#[diagnostic::on_unimplemented(
    message = "the indices have the axes `{Self}` where the tensor has `{Shape}`",
    label = "`{Self}` stands opposite `{Shape}`",
    note = "the indices have the axes of the tensor, apart from the axis that they pick from (in `cross_entropy`, the last)"
)]
pub trait SameShape<Shape> {}
macro_rules! same_shape {
    ([] [$($A:ident $B:ident),*]) => {
        impl<$($A: Axis + SameAxis<$B>, $B: Axis),*> SameShape<($($B,)*)> for ($($A,)*) {}
    };
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {};
}
each_alignment! { same_shape }

/// Indices of shape `Idx` below `BOUND` pick entries along `AXIS`; what they pick has shape `Idx`.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axis {AXIS} to gather along",
    label = "axis {AXIS} is out of range",
    note = "axes are counted from 0, outermost first"
)]
pub trait Gather<const AXIS: usize, Idx, const BOUND: usize> {
    /// Where the axis lies in the tensor.
    const FROM: Split;
    /// Where it lies in the indices, and so in the result.
    const TO: Split;
}

// The bound stands on the indices' side: while the compiler does not know their shape yet, a bound
// on the tensor's side would make it guess that shape, and report its guess.
impl<S, Idx, const AXIS: usize, const BOUND: usize> Gather<AXIS, Idx, BOUND> for S
where
    S: HasAxis<AXIS>,
    S::Axis: IndexedBy<BOUND>,
    Idx: HasAxis<AXIS>,
    Idx::Without: SameShape<S::Without>,
{
    const FROM: Split = S::SPLIT;
    const TO: Split = Idx::SPLIT;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape;

    /// The sizes of the axis in the tensor and in the indices.
    fn picks<S: Gather<AXIS, Idx, BOUND>, const AXIS: usize, Idx, const BOUND: usize>() -> [usize; 2]
    {
        [S::FROM.len, S::TO.len]
    }

    #[test]
    fn only_the_axis_that_is_picked_from_may_differ() {
        assert_eq!(picks::<shape![10], 0, shape![3], 10>(), [10, 3]);
        assert_eq!(picks::<shape![32, 10], 1, shape![32, 3], 10>(), [10, 3]);
        assert_eq!(picks::<shape![32, 10], 0, shape![64, 10], 32>(), [32, 64]);
        assert_eq!(picks::<shape![2, 1, 4], 1, shape![2, 5, 4], 1>(), [1, 5]);
    }
}
