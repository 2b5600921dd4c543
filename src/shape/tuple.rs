//! A shape is a tuple of up to six axes, outermost first.
//!
//! ```text
//! ()                       rank 0   a scalar: one element
//! (Dim<3>,)                rank 1   [T; 3]
//! (Dim<2>, Dim<3>)         rank 2   [[T; 3]; 2]
//! (Dim<2>, One, Dim<3>)    rank 3   [[[T; 3]; 1]; 2]
//! ```

use super::axis::Axis;
use super::broadcast::Broadcast;
use super::broadcast_to::BroadcastTo;
use super::concat::Beside;
use super::gather::SameShape;
use super::rank::{Rank, RankFamily};

/// The largest rank.
pub const MAX_RANK: usize = 6;

/// The sizes of a shape's axes, outermost first, as code that does not know the rank sees them.
pub type Dims = &'static [usize];

/// A shape of any rank: a tuple of up to six axes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "not a shape",
    note = "a shape is a tuple of up to six axes, as `shape![32, 784]` writes it; rank 1 is `shape![784]` or `(Dim<784>,)`"
)]
pub trait AnyShape: Sized + 'static {
    /// The number of axes, as a type that leads to the tensor type.
    type Rank: RankFamily;
    /// The number of elements.
    const NUMEL: usize;
    /// The sizes of the axes, outermost first.
    const DIMS: Dims;
    /// Nested arrays of this shape: `[[T; 3]; 2]` for `(Dim<2>, Dim<3>)`, and `T` for `()`.
    type Array<T>;

    /// The nested array of what `next` returns, called once an element in row-major order.
    fn collect<T>(next: &mut impl FnMut() -> T) -> Self::Array<T>;

    /// Calls `f` on each element in row-major order.
    fn visit<T>(array: &Self::Array<T>, f: &mut impl FnMut(&T));
}

/// A shape of rank `R`.
///
/// The supertraits say what holds for every shape, so that code generic over `S: Shape<R>` needs no
/// further bound: a shape can be combined with itself and with a scalar, and is equal to itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape of rank {R}",
    label = "not a shape of rank {R}"
)]
pub trait Shape<const R: usize>:
    AnyShape<Rank = Rank<R>>
    + Broadcast<Self, Output = Self>
    + Broadcast<(), Output = Self>
    + BroadcastTo<Self>
    + SameShape<Self>
    + Beside<Self>
{
    /// The sizes of the axes, outermost first.
    const SIZES: [usize; R];
}

impl AnyShape for () {
    type Rank = Rank<0>;
    const NUMEL: usize = 1;
    const DIMS: Dims = &[];
    type Array<T> = T;

    fn collect<T>(next: &mut impl FnMut() -> T) -> T {
        next()
    }

    fn visit<T>(element: &T, f: &mut impl FnMut(&T)) {
        f(element);
    }
}

/// A tuple is its first axis, holding arrays of the shape of the rest.
macro_rules! any_shape {
    (0:) => {};
    ($r:literal: $A:ident $($B:ident)*) => {
        impl<$A: Axis $(, $B: Axis)*> AnyShape for ($A, $($B,)*) {
            type Rank = Rank<$r>;
            const NUMEL: usize = $A::SIZE $(* $B::SIZE)*;
            const DIMS: Dims = &[$A::SIZE $(, $B::SIZE)*];
            type Array<T> = $A::Array<<($($B,)*) as AnyShape>::Array<T>>;

            fn collect<T>(next: &mut impl FnMut() -> T) -> Self::Array<T> {
                $A::collect(|| <($($B,)*) as AnyShape>::collect(next))
            }

            fn visit<T>(array: &Self::Array<T>, f: &mut impl FnMut(&T)) {
                $A::visit(array, |entry| <($($B,)*) as AnyShape>::visit(entry, f));
            }
        }
    };
}
each_rank! { any_shape }

macro_rules! shape_of_rank {
    ($r:literal: $($A:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$($A: Axis),*> Shape<$r> for ($($A,)*) {
            const SIZES: [usize; $r] = [$($A::SIZE),*];
        }
    };
}
each_rank! { shape_of_rank }

#[cfg(test)]
mod tests {
    use super::super::{Dim, One};
    use super::*;
    use crate::shape;

    /// Collects 0, 1, 2, .. and visits what was collected: the same numbers in the same order.
    fn round_trip<S: AnyShape>() {
        let mut n = 0..;
        let array = S::collect(&mut || n.next().unwrap());
        let mut seen = Vec::new();
        S::visit(&array, &mut |&element: &usize| seen.push(element));
        assert_eq!(seen, (0..S::NUMEL).collect::<Vec<_>>());
        assert_eq!(S::NUMEL, S::DIMS.iter().product::<usize>());
    }

    #[test]
    fn arrays_are_nested_outermost_first() {
        let mut n = 0..;
        let array: [[[i32; 3]; 1]; 2] =
            <shape![2, 1, 3] as AnyShape>::collect(&mut || n.next().unwrap());
        assert_eq!(array, [[[0, 1, 2]], [[3, 4, 5]]]);
        let scalar: i32 = <() as AnyShape>::collect(&mut || 7);
        assert_eq!(scalar, 7);

        round_trip::<shape![]>();
        round_trip::<shape![4]>();
        round_trip::<shape![2, 0, 3]>();
        round_trip::<shape![2, 1, 3, 2]>();
        round_trip::<shape![2, 3, 1, 2, 5]>();
        round_trip::<shape![1, 2, 3, 1, 2, 2]>();
    }

    #[test]
    fn sizes_are_outermost_first() {
        assert_eq!(<() as AnyShape>::DIMS, []);
        assert_eq!(<() as Shape<0>>::SIZES, []);
        assert_eq!(<shape![32, 784] as Shape<2>>::SIZES, [32, 784]);
        assert_eq!(
            <shape![2, 3, 4, 5, 6, 7] as AnyShape>::DIMS,
            [2, 3, 4, 5, 6, 7]
        );
        assert_eq!(<(Dim<3>, One, Dim<0>) as AnyShape>::NUMEL, 0);
    }
}
