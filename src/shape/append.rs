//! A shape may get one more axis at its end, or all those of another shape.
//!
//! ```text
//! one-hot     Indices of (Dim<32>,), below 10          -> (Dim<32>, Dim<10>)
//! embedding   Indices of (Dim<32>,), rows of Dim<64>   -> (Dim<32>, Dim<64>)
//! Jacobian    of (Dim<3>,) by (Dim<2>, Dim<4>)         -> (Dim<3>, Dim<2>, Dim<4>)
//! ```

use super::axis::Axis;
use super::tuple::AnyShape;

/// There is room for an axis `A` after the last.
#[diagnostic::on_unimplemented(
    message = "cannot append an axis `{A}` to the shape `{Self}`",
    label = "no room for one more axis",
    note = "shapes have at most 6 axes"
)]
pub trait Append<A> {
    /// The shape with `A` after its last axis.
    type Output: AnyShape;
}

macro_rules! append {
    ($r:literal: $($A:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* X: Axis> Append<X> for ($($A,)*) {
            type Output = ($($A,)* X,);
        }
    };
}
each_rank_below_max! { append }

/// There is room for the axes of `In` after the last: the shape of a Jacobian, of a result by an input.
#[diagnostic::on_unimplemented(
    message = "the axes of `{Self}` and then those of `{In}` are more than 6",
    label = "no room for the axes of both",
    note = "shapes have at most 6 axes, and a Jacobian has those of the result, then those of the input: flatten one of them"
)]
pub trait AppendAll<In> {
    /// The axes of this shape, then those of `In`.
    type Output: AnyShape;
}

macro_rules! append_all {
    ([$($A:ident)*] [$($B:ident)*]) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis,)* $($B: Axis),*> AppendAll<($($B,)*)> for ($($A,)*) {
            type Output = ($($A,)* $($B,)*);
        }
    };
}
each_cut! { append_all }

#[cfg(test)]
mod tests {
    use super::super::Dim;
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn an_axis_is_appended() {
        same(P::<<() as Append<Dim<10>>>::Output>, P::<shape![10]>);
        same(
            P::<<shape![32] as Append<Dim<10>>>::Output>,
            P::<shape![32, 10]>,
        );
        same(P::<<() as AppendAll<()>>::Output>, P::<()>);
        same(
            P::<<shape![2, 3] as AppendAll<shape![4, 1]>>::Output>,
            P::<shape![2, 3, 4, 1]>,
        );
        same(
            P::<<() as AppendAll<shape![1, 2, 3, 4, 5, 6]>>::Output>,
            P::<shape![1, 2, 3, 4, 5, 6]>,
        );
        same(
            P::<<shape![2, 3, 4, 5, 6] as Append<Dim<7>>>::Output>,
            P::<shape![2, 3, 4, 5, 6, 7]>,
        );
    }
}
