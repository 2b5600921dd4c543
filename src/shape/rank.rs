//! A shape knows its tensor type: `TensorOf<(A, B), E>` is `Tensor<2, (A, B), E>`.
//!
//! An operation that computes its output shape cannot write down the rank of that shape, since
//! stable Rust does no arithmetic on const parameters. So the shape names a [`Rank`], and the rank
//! names the tensor. The compiler sees through both, in generic code too.

use super::arg_axis::IndexFamily;
use super::tuple::AnyShape;
use crate::element::Element;
use crate::tensor::{Flags, Raw};

/// The number of axes, as a type.
pub enum Rank<const R: usize> {}

/// The tensors and masks of one rank. Implemented once, for [`Rank<R>`](Rank).
pub trait RankFamily: IndexFamily {
    /// `Tensor<R, S, E>`.
    type Tensor<S: AnyShape<Rank = Self>, E: Element>;

    /// `Mask<R, S>`.
    type Mask<S: AnyShape<Rank = Self>>;

    /// Declares untyped data to have shape `S`.
    #[doc(hidden)]
    fn wrap<S: AnyShape<Rank = Self>, E: Element>(raw: Raw<E>) -> Self::Tensor<S, E>;

    /// A tensor without its type.
    #[doc(hidden)]
    fn raw<S: AnyShape<Rank = Self>, E: Element>(tensor: &Self::Tensor<S, E>) -> &Raw<E>;

    /// Declares truth values to have shape `S`.
    #[doc(hidden)]
    fn wrap_mask<S: AnyShape<Rank = Self>>(flags: Flags) -> Self::Mask<S>;

    /// A share of a mask's truth values.
    #[doc(hidden)]
    fn flags<S: AnyShape<Rank = Self>>(mask: &Self::Mask<S>) -> Flags;
}

/// The tensor type of shape `S`.
pub type TensorOf<S, E> = <<S as AnyShape>::Rank as RankFamily>::Tensor<S, E>;

/// The mask type of shape `S`.
pub type MaskOf<S> = <<S as AnyShape>::Rank as RankFamily>::Mask<S>;
