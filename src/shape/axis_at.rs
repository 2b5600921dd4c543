//! A shape of rank R has the axes 0 to R - 1, outermost first.
//!
//! ```text
//! HasAxis<1> for (Dim<2>, Dim<3>, Dim<4>)
//!     Axis      Dim<3>
//!     Without   (Dim<2>,         Dim<4>)
//!     Keepdim   (Dim<2>, One,    Dim<4>)
//!     With<A>   (Dim<2>, A,      Dim<4>)
//!     SPLIT     outer 2, len 3, inner 4
//! ```

use super::axis::{Axis, One};
use super::tuple::AnyShape;

/// A shape's elements as seen from one axis: `outer` blocks of `len` entries of `inner` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The product of the sizes before the axis.
    pub outer: usize,
    /// The size of the axis.
    pub len: usize,
    /// The product of the sizes after the axis: elements from one entry to the next.
    pub inner: usize,
}

/// A shape that has an axis `AXIS`.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` has no axis {AXIS}",
    label = "axis {AXIS} is out of range",
    note = "axes are counted from 0, outermost first"
)]
pub trait HasAxis<const AXIS: usize> {
    /// The axis.
    type Axis: Axis;
    /// The shape without it: what a reduction over it leaves.
    type Without: AnyShape;
    /// The shape with `One` in its place: what a `keepdim` reduction leaves.
    type Keepdim: AnyShape;
    /// The shape with `A` in its place.
    type With<A: Axis>: AnyShape;
    /// Where the axis lies in memory.
    const SPLIT: Split;
}

/// The axis of shape `S` at position `AXIS`.
pub type AxisAt<S, const AXIS: usize> = <S as HasAxis<AXIS>>::Axis;

macro_rules! has_axis {
    ($i:literal: [$($A:ident)*] $X:ident [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $X: Axis, $($B: Axis),*> HasAxis<$i> for ($($A,)* $X, $($B,)*) {
            type Axis = $X;
            type Without = ($($A,)* $($B,)*);
            type Keepdim = ($($A,)* One, $($B,)*);
            type With<New: Axis> = ($($A,)* New, $($B,)*);
            const SPLIT: Split = Split {
                outer: 1 $(* $A::SIZE)*,
                len: $X::SIZE,
                inner: 1 $(* $B::SIZE)*,
            };
        }
    };
}
each_axis! { has_axis }

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    type S = shape![2, 3, 4];

    #[test]
    fn an_axis_can_be_dropped_kept_or_replaced() {
        same(P::<AxisAt<S, 1>>, P::<super::super::Dim<3>>);
        same(P::<<S as HasAxis<0>>::Without>, P::<shape![3, 4]>);
        same(P::<<S as HasAxis<2>>::Without>, P::<shape![2, 3]>);
        same(P::<<S as HasAxis<1>>::Keepdim>, P::<shape![2, 1, 4]>);
        same(
            P::<<S as HasAxis<1>>::With<super::super::Dim<7>>>,
            P::<shape![2, 7, 4]>,
        );
        same(P::<<shape![5] as HasAxis<0>>::Without>, P::<()>);
    }

    fn check<T: AnyShape + HasAxis<AXIS>, const AXIS: usize>() {
        let dims = T::DIMS;
        let mut without = dims.to_vec();
        without.remove(AXIS);
        let mut keepdim = dims.to_vec();
        keepdim[AXIS] = 1;
        assert_eq!(T::Axis::SIZE, dims[AXIS]);
        assert_eq!(T::Without::DIMS, without);
        assert_eq!(T::Keepdim::DIMS, keepdim);
        assert_eq!(T::With::<T::Axis>::DIMS, dims);
        assert_eq!(
            T::SPLIT,
            Split {
                outer: dims[..AXIS].iter().product(),
                len: dims[AXIS],
                inner: dims[AXIS + 1..].iter().product(),
            }
        );
    }

    #[test]
    fn every_axis_of_every_rank() {
        macro_rules! check_axes {
            ($($shape:ty: $($i:literal)*;)*) => { $($(check::<$shape, $i>();)*)* };
        }
        check_axes! {
            shape![2]: 0;
            shape![2, 3]: 0 1;
            shape![2, 3, 5]: 0 1 2;
            shape![2, 3, 5, 7]: 0 1 2 3;
            shape![2, 3, 5, 7, 0]: 0 1 2 3 4;
            shape![2, 3, 5, 7, 11, 13]: 0 1 2 3 4 5;
        }
    }
}
