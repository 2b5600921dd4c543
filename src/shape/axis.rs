//! An axis is `Dim<N>` or `One`.
//!
//! ```text
//! Dim<N>   exactly N entries     never stretches, not even Dim<1>
//! One      a single entry        stretches to any axis opposite it
//! ```
//!
//! NumPy has one kind of 1 for both. Here they are two types, because a 1 that happens to be a batch
//! size must not stretch: `(N, 1) - (N,)` silently becoming `(N, N)` is the classic mistake.

use super::arg_axis::IndicesOf;
use super::broadcast::BroadcastAxis;
use super::broadcast_to::StretchAxis;
use super::concat::BesideAxis;
use super::diagonal::SquareAxis;
use super::einsum::Contracts;
use super::gather::SameAxis;
use super::matmul::Inner;
use super::tuple::AnyShape;
use super::window::SameChannels;
use crate::tensor::Positions;

/// An axis of exactly `N` entries.
///
/// It never stretches, not even `Dim<1>`; `stretch::<AXIS>()` turns a `Dim<1>` into [`One`].
pub enum Dim<const N: usize> {}

/// The axis of one entry that stretches to whatever axis stands opposite it.
///
/// `keepdim` reductions and `unsqueeze` produce it, and `shape![3, 1]` writes it.
pub enum One {}

/// What may stand in a shape: [`Dim<N>`](Dim) or [`One`].
///
/// The supertraits say what holds for every axis, so that code generic over `A: Axis` needs no
/// further bound: an axis can be combined with itself and with `One`, and is equal to itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis",
    label = "not an axis",
    note = "an axis is `Dim<N>` or `One`; `shape![32, 784]` writes `(Dim<32>, Dim<784>)`"
)]
pub trait Axis:
    Sized
    + 'static
    + BroadcastAxis<Self, Output = Self>
    + BroadcastAxis<One, Output = Self>
    + StretchAxis<Self>
    + Inner<Self>
    + Contracts<Self>
    + SquareAxis<Self>
    + SameAxis<Self>
    + BesideAxis<Self>
    + SameChannels<Self>
{
    /// The number of entries.
    const SIZE: usize;

    /// `[T; SIZE]`.
    type Array<T>;

    /// Whole numbers below `SIZE`, arranged as `S`: the positions along this axis.
    type Indices<S: AnyShape>: From<Positions>;

    /// The array of what `f` returns, called once an entry in order.
    fn collect<T>(f: impl FnMut() -> T) -> Self::Array<T>;

    /// Calls `f` on each entry in order.
    fn visit<T>(array: &Self::Array<T>, f: impl FnMut(&T));
}

impl<const N: usize> Axis for Dim<N> {
    const SIZE: usize = N;
    type Array<T> = [T; N];
    type Indices<S: AnyShape> = IndicesOf<S, N>;

    fn collect<T>(mut f: impl FnMut() -> T) -> [T; N] {
        std::array::from_fn(|_| f())
    }

    fn visit<T>(array: &[T; N], f: impl FnMut(&T)) {
        array.iter().for_each(f);
    }
}

impl Axis for One {
    const SIZE: usize = 1;
    type Array<T> = [T; 1];
    type Indices<S: AnyShape> = IndicesOf<S, 1>;

    fn collect<T>(mut f: impl FnMut() -> T) -> [T; 1] {
        [f()]
    }

    fn visit<T>([entry]: &[T; 1], mut f: impl FnMut(&T)) {
        f(entry);
    }
}
