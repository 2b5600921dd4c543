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

impl<const N: usize> BroadcastAxis<Dim<N>> for Dim<N> {
    type Output = Dim<N>;
    const LHS: Cotangent = Cotangent::Keep;
    const RHS: Cotangent = Cotangent::Keep;
}

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
