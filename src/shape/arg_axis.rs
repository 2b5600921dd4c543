//! The positions along an axis are whole numbers proven below its size.
//!
//! ```text
//! argmax over axis 1 of (Dim<32>, Dim<10>)
//!     axis dropped   Indices<1, (Dim<32>,),     10>
//!     axis kept      Indices<2, (Dim<32>, One), 10>
//! ```
//!
//! So what `argmax` returns may index the axis it came from, and no other.

use super::axis::Axis;
use super::axis_at::HasAxis;
use super::rank::Rank;
use super::tuple::AnyShape;
use crate::tensor::{Indices, Positions};

/// The index tensors of one rank. Implemented once, for [`Rank<R>`](Rank).
pub trait IndexFamily: Sized {
    /// `Indices<R, S, BOUND>`.
    type Indices<S: AnyShape<Rank = Self>, const BOUND: usize>: From<Positions>;
}

impl<const R: usize> IndexFamily for Rank<R> {
    type Indices<S: AnyShape<Rank = Self>, const BOUND: usize> = Indices<R, S, BOUND>;
}

/// Indices of shape `S` below `BOUND`.
pub type IndicesOf<S, const BOUND: usize> =
    <<S as AnyShape>::Rank as IndexFamily>::Indices<S, BOUND>;

/// Positions along axis `AXIS` of shape `S`, arranged as shape `T`.
pub type PositionsOf<S, const AXIS: usize, T> = <<S as HasAxis<AXIS>>::Axis as Axis>::Indices<T>;

/// The shape has an axis `AXIS`, and positions along it can be returned. Holds wherever
/// [`HasAxis<AXIS>`](HasAxis) does.
pub trait ArgAxis<const AXIS: usize>: HasAxis<AXIS> {
    /// Positions along the axis, one for each entry of the other axes.
    type Indices: From<Positions>;
    /// The same with the axis kept as `One`.
    type IndicesKeepdim: From<Positions>;
}

impl<S: HasAxis<AXIS>, const AXIS: usize> ArgAxis<AXIS> for S {
    type Indices = <S::Axis as Axis>::Indices<S::Without>;
    type IndicesKeepdim = <S::Axis as Axis>::Indices<S::Keepdim>;
}

#[cfg(test)]
mod tests {
    use super::super::generic::same;
    use super::*;
    use crate::shape;
    use std::marker::PhantomData as P;

    #[test]
    fn positions_are_bounded_by_the_axis_they_came_from() {
        type Logits = shape![32, 10];
        same(
            P::<<Logits as ArgAxis<1>>::Indices>,
            P::<Indices<1, shape![32], 10>>,
        );
        same(
            P::<<Logits as ArgAxis<0>>::IndicesKeepdim>,
            P::<Indices<2, shape![1, 10], 32>>,
        );
        same(
            P::<<shape![3, 1] as ArgAxis<1>>::Indices>,
            P::<Indices<1, shape![3], 1>>,
        );
        same(P::<IndicesOf<shape![3], 7>>, P::<Indices<1, shape![3], 7>>);
    }
}
