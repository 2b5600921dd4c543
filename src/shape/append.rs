//! A shape may get one more axis at its end.
//!
//! ```text
//! one-hot     Indices of (Dim<32>,), below 10          -> (Dim<32>, Dim<10>)
//! embedding   Indices of (Dim<32>,), rows of Dim<64>   -> (Dim<32>, Dim<64>)
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
        same(
            P::<<shape![2, 3, 4, 5, 6] as Append<Dim<7>>>::Output>,
            P::<shape![2, 3, 4, 5, 6, 7]>,
        );
    }
}
