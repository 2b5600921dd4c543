//! A shape stretches to a target if, aligned at their last axis, each of its axes does.
//!
//! ```text
//! (         One,    Dim<4>)     each axis equals the target's, or is `One`;
//! (Dim<32>, Dim<8>, Dim<4>)     axes that only the target has come first
//! ```
//!
//! Unlike [`Broadcast`](super::Broadcast) this is one-sided: the target itself never stretches.

use super::axis::{Axis, Dim, One};
use super::broadcast::{BroadcastAxis, Cotangent};
use super::plan::{AxisPair, Plan};
use super::tuple::AnyShape;

/// An axis that is `Target`, or `One`.
#[diagnostic::on_unimplemented(
    message = "an axis `{Self}` cannot be stretched to `{Target}`",
    label = "an axis `{Self}` stands where `{Target}` is wanted",
    note = "shapes are aligned at their last axis; each axis must equal the target's or be `One`",
    note = "`stretch` turns a `Dim<1>` into `One`"
)]
pub trait StretchAxis<Target> {
    /// What backward does on its way to this axis.
    const COTANGENT: Cotangent;
}

impl<const N: usize> StretchAxis<Dim<N>> for Dim<N> {
    const COTANGENT: Cotangent = Cotangent::Keep;
}

/// `One` stretches to any axis, known or generic.
impl<A: Axis> StretchAxis<A> for One {
    const COTANGENT: Cotangent = <One as BroadcastAxis<A>>::LHS;
}

/// A shape that stretches to `Target`.
#[diagnostic::on_unimplemented(
    message = "the shape `{Self}` cannot be stretched to `{Target}`",
    label = "`{Self}` does not stretch to `{Target}`",
    note = "the target may have more axes, never fewer; aligned at the last axis, each axis must equal the target's or be `One`"
)]
pub trait BroadcastTo<Target> {
    /// How forward walks this shape (left), and what backward sums. Right and output are the target.
    const PLAN: &'static Plan;
}

/// A scalar stretches to any shape, known or generic.
impl<T: AnyShape> BroadcastTo<T> for () {
    const PLAN: &'static Plan = &Plan::scalar_and(T::DIMS);
}

macro_rules! stretch {
    ([$($L:ident)*] []) => {};
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {
        impl<$($L: Axis,)* $($A: Axis + StretchAxis<$B>, $B: Axis),*>
            BroadcastTo<($($L,)* $($B,)*)> for ($($A,)*)
        {
            const PLAN: &'static Plan = &Plan::collect(&[
                $(AxisPair { size: $L::SIZE, lhs: Cotangent::Sum, rhs: Cotangent::Keep },)*
                $(AxisPair {
                    size: $B::SIZE,
                    lhs: <$A as StretchAxis<$B>>::COTANGENT,
                    rhs: Cotangent::Keep,
                },)*
            ]);
        }
    };
}
each_alignment! { stretch }

#[cfg(test)]
mod tests {
    use super::super::Broadcast;
    use super::*;
    use crate::shape;

    fn check<S: BroadcastTo<T> + Broadcast<T>, T: AnyShape>() {
        assert_eq!(<S as BroadcastTo<T>>::PLAN, <S as Broadcast<T>>::PLAN);
        assert_eq!(<S as BroadcastTo<T>>::PLAN.numel(), T::NUMEL);
        assert!(<S as BroadcastTo<T>>::PLAN.rhs_fold().is_identity());
    }

    #[test]
    fn stretching_is_a_broadcast_whose_output_is_the_target() {
        check::<shape![], shape![]>();
        check::<shape![], shape![2, 3, 4]>();
        check::<shape![4], shape![4]>();
        check::<shape![1], shape![0]>();
        check::<shape![4], shape![2, 3, 4]>();
        check::<shape![3, 1], shape![2, 3, 4]>();
        check::<shape![1, 3, 1], shape![2, 3, 4]>();
        check::<shape![1, 1], shape![1, (Dim<1>)]>();
        check::<shape![2, 1, 3], shape![5, 4, 1, 2, 6, 3]>();
    }
}
