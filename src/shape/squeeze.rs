//! An axis of size 1 may come and go, and change between `One` and `Dim<1>`.
//!
//! ```text
//! Squeeze<1>     (Dim<3>, One)    -> (Dim<3>,)           also Dim<1>
//! Unsqueeze<0>   (Dim<3>,)        -> (One, Dim<3>)
//! Fixed<1>       (Dim<3>, One)    -> (Dim<3>, Dim<1>)    no longer stretches
//! Stretch<1>     (Dim<3>, Dim<1>) -> (Dim<3>, One)       stretches from now on
//! ```

use super::axis::{Axis, Dim, One};
use super::axis_at::HasAxis;
use super::tuple::AnyShape;

/// An axis of size 1: `One` or `Dim<1>`.
#[diagnostic::on_unimplemented(
    message = "cannot squeeze axis {AXIS}, an axis of `{Self}`: its size is not 1",
    label = "axis {AXIS} is `{Self}`",
    note = "`squeeze` removes an axis of size 1: `One` or `Dim<1>`"
)]
pub trait SizeOne<const AXIS: usize> {}
impl<const AXIS: usize> SizeOne<AXIS> for One {}
impl<const AXIS: usize> SizeOne<AXIS> for Dim<1> {}

/// The axis `AXIS` has size 1 and can go: the result is [`HasAxis::Without`].
pub trait Squeeze<const AXIS: usize>: HasAxis<AXIS> {}

impl<S: HasAxis<AXIS>, const AXIS: usize> Squeeze<AXIS> for S where S::Axis: SizeOne<AXIS> {}

/// There is room for `One` at `AXIS`, before the axis that is there now or after the last.
#[diagnostic::on_unimplemented(
    message = "cannot insert an axis {AXIS} into the shape `{Self}`",
    label = "no room for an axis {AXIS}",
    note = "a shape of rank R takes a new axis at 0 to R, and shapes have at most 6 axes"
)]
pub trait Unsqueeze<const AXIS: usize> {
    /// The shape with `One` inserted.
    type Output: AnyShape;
}

macro_rules! unsqueeze {
    ($i:literal: [$($A:ident)*] $X:ident [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $($B: Axis),*> Unsqueeze<$i> for ($($A,)* $($B,)*) {
            type Output = ($($A,)* One, $($B,)*);
        }
    };
}
each_axis! { unsqueeze }

/// The stretchable axis, `One`.
#[diagnostic::on_unimplemented(
    message = "axis {AXIS} is `{Self}`, not `One`: it does not stretch to begin with",
    label = "axis {AXIS} is `{Self}`",
    note = "`fixed` turns `One` into `Dim<1>`, the axis of size 1 that does not stretch"
)]
pub trait Stretchable<const AXIS: usize> {}
impl<const AXIS: usize> Stretchable<AXIS> for One {}

/// The axis `AXIS` is `One` and becomes `Dim<1>`.
pub trait Fixed<const AXIS: usize>: HasAxis<AXIS> {
    /// The shape with `Dim<1>` at `AXIS`.
    type Output: AnyShape;
}

impl<S: HasAxis<AXIS>, const AXIS: usize> Fixed<AXIS> for S
where
    S::Axis: Stretchable<AXIS>,
{
    type Output = S::With<Dim<1>>;
}

/// The fixed axis of size 1, `Dim<1>`.
#[diagnostic::on_unimplemented(
    message = "axis {AXIS} is `{Self}`, not `Dim<1>`: it cannot be made to stretch",
    label = "axis {AXIS} is `{Self}`",
    note = "`stretch` turns `Dim<1>` into `One`, the axis of size 1 that stretches"
)]
pub trait DimOne<const AXIS: usize> {}
impl<const AXIS: usize> DimOne<AXIS> for Dim<1> {}

/// The axis `AXIS` is `Dim<1>` and becomes `One`.
pub trait Stretch<const AXIS: usize>: HasAxis<AXIS> {
    /// The shape with `One` at `AXIS`.
    type Output: AnyShape;
}

impl<S: HasAxis<AXIS>, const AXIS: usize> Stretch<AXIS> for S
where
    S::Axis: DimOne<AXIS>,
{
    type Output = S::Keepdim;
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    fn squeezed<S: Squeeze<AXIS>, const AXIS: usize>() -> P<S::Without> {
        P
    }

    #[test]
    fn an_axis_of_size_one_comes_and_goes() {
        same(squeezed::<shape![3, 1], 1>(), P::<shape![3]>);
        same(squeezed::<shape![(Dim<1>), 3], 0>(), P::<shape![3]>);
        same(P::<<() as Unsqueeze<0>>::Output>, P::<shape![1]>);
        same(
            P::<<shape![3, 4] as Unsqueeze<0>>::Output>,
            P::<shape![1, 3, 4]>,
        );
        same(
            P::<<shape![3, 4] as Unsqueeze<1>>::Output>,
            P::<shape![3, 1, 4]>,
        );
        same(
            P::<<shape![3, 4] as Unsqueeze<2>>::Output>,
            P::<shape![3, 4, 1]>,
        );
        same(
            P::<<shape![2, 3, 4, 5, 6] as Unsqueeze<5>>::Output>,
            P::<shape![2, 3, 4, 5, 6, 1]>,
        );
    }

    #[test]
    fn one_and_dim_1_are_exchanged() {
        same(
            P::<<shape![3, 1] as Fixed<1>>::Output>,
            P::<shape![3, (Dim<1>)]>,
        );
        same(
            P::<<shape![(Dim<1>), 3] as Stretch<0>>::Output>,
            P::<shape![1, 3]>,
        );
    }
}
