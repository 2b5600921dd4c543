//! Two shapes broadcast if, aligned at their last axis, each pair of axes does.
//!
//! ```text
//!   (Dim<32>, Dim<10>, Dim<4>)        each pair of axes is equal,
//! + (         Dim<10>, One   )        or one of the two is `One`,
//! = (Dim<32>, Dim<10>, Dim<4>)        or one of the two is missing
//! ```
//!
//! A value that was stretched was used several times, so its gradient is the sum over those uses.
//! Forward and backward are therefore one table:
//!
//! | lhs | rhs | output | backward to lhs | backward to rhs |
//! |---|---|---|---|---|
//! | `Dim<N>` | `Dim<N>`  | `Dim<N>` | keep | keep |
//! | `Dim<N>` | `One`     | `Dim<N>` | keep | sum  |
//! | `One`    | `Dim<N>`  | `Dim<N>` | sum  | keep |
//! | `One`    | `One`     | `One`    | keep | keep |
//! | axis     | (missing) | axis     | keep | sum  |

use super::axis::{Axis, Dim, One};
use super::plan::{AxisPair, Plan};
use super::tuple::AnyShape;

/// What backward does to the gradient along one axis on its way to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cotangent {
    /// The operand has the axis: the gradient has it too.
    Keep,
    /// The operand was stretched along the axis: its gradient is the sum over it.
    Sum,
}

/// Two axes that may stand opposite each other.
#[diagnostic::on_unimplemented(
    message = "the axes `{Self}` and `{Rhs}` cannot be broadcast together",
    label = "an axis `{Self}` stands opposite an axis `{Rhs}`",
    note = "shapes are aligned at their last axis; each pair of axes must be equal, or one of them must be `One`",
    note = "`unsqueeze` and `sum_keepdim` make a `One`, `stretch` turns a `Dim<1>` into one"
)]
pub trait BroadcastAxis<Rhs> {
    /// The axis of the result.
    type Output: Axis;
    /// What backward does on its way to the left operand.
    const LHS: Cotangent;
    /// What backward does on its way to the right operand.
    const RHS: Cotangent;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> BroadcastAxis<Dim<N>> for Dim<N> {
    type Output = Dim<N>;
    const LHS: Cotangent = Cotangent::Keep;
    const RHS: Cotangent = Cotangent::Keep;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> BroadcastAxis<One> for Dim<N> {
    type Output = Dim<N>;
    const LHS: Cotangent = Cotangent::Keep;
    const RHS: Cotangent = Cotangent::Sum;
}

/// `One` takes the size of any axis, known or generic; backward mirrors that of the axis against `One`.
impl<A: Axis> BroadcastAxis<A> for One {
    type Output = A;
    const LHS: Cotangent = <A as BroadcastAxis<One>>::RHS;
    const RHS: Cotangent = Cotangent::Keep;
}

/// Two shapes that can be combined element by element.
#[diagnostic::on_unimplemented(
    message = "the shapes `{Self}` and `{Rhs}` cannot be broadcast together",
    label = "`{Self}` meets `{Rhs}`",
    note = "shapes are aligned at their last axis; each pair of axes must be equal, or one of them must be `One`"
)]
pub trait Broadcast<Rhs> {
    /// The shape of the result.
    type Output: AnyShape;
    /// How forward walks both operands, and what backward sums.
    const PLAN: &'static Plan;
}

/// A scalar takes any shape, known or generic.
impl<S: AnyShape> Broadcast<S> for () {
    type Output = S;
    const PLAN: &'static Plan = &Plan::scalar_and(S::DIMS);
}

/// The rank that the left shape has alone, and the axes that both have.
macro_rules! longer_left {
    ([] []) => {};
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {
        impl<$($L: Axis,)* $($A: Axis + BroadcastAxis<$B>, $B: Axis),*> Broadcast<($($B,)*)>
            for ($($L,)* $($A,)*)
        {
            type Output = ($($L,)* $(<$A as BroadcastAxis<$B>>::Output,)*);
            const PLAN: &'static Plan = &Plan::collect(&[
                $(AxisPair::left_only::<$L>(),)*
                $(AxisPair::of::<$A, $B>(),)*
            ]);
        }
    };
}
each_alignment! { longer_left }

macro_rules! longer_right {
    ([$($L:ident)*] []) => {};
    ([] [$($A:ident $B:ident),*]) => {};
    ([$($L:ident)*] [$($A:ident $B:ident),*]) => {
        impl<$($L: Axis,)* $($A: Axis + BroadcastAxis<$B>, $B: Axis),*>
            Broadcast<($($L,)* $($B,)*)> for ($($A,)*)
        {
            type Output = ($($L,)* $(<$A as BroadcastAxis<$B>>::Output,)*);
            const PLAN: &'static Plan = &Plan::collect(&[
                $(AxisPair::right_only::<$L>(),)*
                $(AxisPair::of::<$A, $B>(),)*
            ]);
        }
    };
}
each_alignment! { longer_right }

impl AxisPair {
    /// Two axes opposite each other.
    const fn of<A: Axis + BroadcastAxis<B>, B>() -> AxisPair {
        AxisPair {
            size: <<A as BroadcastAxis<B>>::Output as Axis>::SIZE,
            lhs: <A as BroadcastAxis<B>>::LHS,
            rhs: <A as BroadcastAxis<B>>::RHS,
        }
    }

    /// An axis that the right shape lacks.
    const fn left_only<A: Axis>() -> AxisPair {
        AxisPair {
            size: A::SIZE,
            lhs: Cotangent::Keep,
            rhs: Cotangent::Sum,
        }
    }

    /// An axis that the left shape lacks.
    const fn right_only<A: Axis>() -> AxisPair {
        AxisPair {
            size: A::SIZE,
            lhs: Cotangent::Sum,
            rhs: Cotangent::Keep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    fn output<A: Broadcast<B>, B>() -> P<A::Output> {
        P
    }

    #[test]
    fn the_table_of_axes() {
        same(output::<shape![3], shape![3]>(), P::<shape![3]>);
        same(output::<shape![3], shape![1]>(), P::<shape![3]>);
        same(output::<shape![1], shape![3]>(), P::<shape![3]>);
        same(output::<shape![1], shape![1]>(), P::<shape![1]>);
        same(output::<shape![3], shape![]>(), P::<shape![3]>);
        same(output::<shape![], shape![3]>(), P::<shape![3]>);
        same(
            output::<shape![1], shape![(Dim<1>)]>(),
            P::<shape![(Dim<1>)]>,
        );
    }

    #[test]
    fn shapes_are_aligned_at_their_last_axis() {
        same(
            output::<shape![32, 10, 4], shape![10, 1]>(),
            P::<shape![32, 10, 4]>,
        );
        same(
            output::<shape![10, 1], shape![32, 1, 4]>(),
            P::<shape![32, 10, 4]>,
        );
        same(
            output::<shape![], shape![2, 3, 4, 5, 6, 7]>(),
            P::<shape![2, 3, 4, 5, 6, 7]>,
        );
    }

    /// What the plan must say, found from the sizes alone: here a size of 1 is always `One`.
    fn expected_plan(lhs: &[usize], rhs: &[usize]) -> Plan {
        let rank = lhs.len().max(rhs.len());
        let size = |dims: &[usize], i: usize| (i + dims.len()).checked_sub(rank).map(|i| dims[i]);
        let side = |own: Option<usize>, size| match own {
            Some(own) if own == size => Cotangent::Keep,
            _ => Cotangent::Sum,
        };
        let axes: Vec<AxisPair> = (0..rank)
            .map(|i| {
                let (l, r) = (size(lhs, i), size(rhs, i));
                let size = match (l, r) {
                    (Some(1), Some(r)) => r,
                    (Some(l), _) => l,
                    (None, r) => r.unwrap(),
                };
                AxisPair {
                    size,
                    lhs: side(l, size),
                    rhs: side(r, size),
                }
            })
            .collect();
        Plan::collect(&axes)
    }

    fn check<A: AnyShape + Broadcast<B>, B: AnyShape + Broadcast<A>>() {
        let plan = <A as Broadcast<B>>::PLAN;
        assert_eq!(
            *plan,
            expected_plan(A::DIMS, B::DIMS),
            "{:?} {:?}",
            A::DIMS,
            B::DIMS
        );
        assert_eq!(plan.numel(), <A as Broadcast<B>>::Output::NUMEL);
        assert_eq!(plan.lhs_numel(), A::NUMEL);
        assert_eq!(plan.rhs_numel(), B::NUMEL);

        let mirror = <B as Broadcast<A>>::PLAN;
        assert_eq!(
            <A as Broadcast<B>>::Output::DIMS,
            <B as Broadcast<A>>::Output::DIMS
        );
        assert_eq!(mirror.lhs_fold(), plan.rhs_fold());
        assert_eq!(mirror.rhs_fold(), plan.lhs_fold());
    }

    #[test]
    fn every_pair_of_ranks_has_a_plan() {
        macro_rules! all_pairs {
            ($($A:ty),*; $B:tt) => { $(all_pairs! { @with $A; $B })* };
            (@with $A:ty; [$($B:ty),*]) => { $(check::<$A, $B>();)* };
        }
        all_pairs! {
            shape![], shape![5], shape![3, 1], shape![2, 3, 5], shape![1, 2, 1, 5],
            shape![4, 7, 1, 3, 5], shape![6, 1, 7, 2, 3, 5];
            [
                shape![], shape![1], shape![3, 5], shape![1, 3, 1], shape![7, 1, 3, 5],
                shape![4, 1, 2, 1, 5], shape![1, 4, 7, 2, 3, 1]
            ]
        }
    }
}
