//! The typed tensor and its kin: creation, access, display, the graph's user side.
//!
//! Not here: operations (`ops`), and anything that loops over many values (`kernel`).

mod access;
mod approx;
mod autograd;
mod create;
pub(crate) mod display;
mod indices;
mod mask;
mod param;

use crate::element::Element;
use crate::graph::{NodeRef, anomaly};
use crate::shape::{AnyShape, Dims, Rank, RankFamily, Shape, TensorOf};
use crate::storage::Buffer;
use std::marker::PhantomData;

pub use crate::ops::{
    AttentionMask, Comparand, Embeds, Gathers, Join, Part, PartsOf, Selects, Tensordot,
};
pub use access::Iter;
pub use autograd::Replacement;
pub(crate) use indices::checked;
pub use indices::{Indices, Positions, WholeNumber};
pub(crate) use mask::mask_of;
pub use mask::{Flags, Mask};
pub use param::Param;

/// A tensor without its type: shared values and, if it is part of a graph, its node.
#[doc(hidden)]
pub struct Raw<E: Element> {
    pub(crate) values: Buffer<E>,
    pub(crate) node: Option<NodeRef<E>>,
}

impl<E: Element> Raw<E> {
    /// Values with no graph behind them.
    pub(crate) fn input(values: Buffer<E>) -> Self {
        Raw { values, node: None }
    }

    /// The same, but looked at as the result of an operation, where anomalies are looked for.
    #[inline]
    pub(crate) fn examined(self, dims: Dims) -> Self {
        if anomaly::on() {
            anomaly::result(&self, dims);
        }
        self
    }

    /// The same values with no graph behind them.
    pub(crate) fn detached(&self) -> Self {
        Raw::input(self.values.clone())
    }
}

impl<E: Element> Clone for Raw<E> {
    fn clone(&self) -> Self {
        Raw {
            values: self.values.clone(),
            node: self.node.clone(),
        }
    }
}

/// A tensor of rank `R`, shape `S` and elements `E`.
///
/// `Tensor<2, shape![32, 784]>` has 32 rows of 784 columns of `f32`. The shape is part of the type:
/// operations on shapes that do not fit do not compile.
///
/// A tensor is in one of three states. An **input** is plain data and costs nothing beyond it. A
/// **parameter** is a leaf of a graph, where gradients end up: a [`Param`], or what
/// [`tracked`](Self::tracked) returns. An **intermediate** is the result of an operation with a
/// parameter or intermediate among its operands, and knows how it came about.
///
/// `Clone` shares values and graph; it copies nothing. Writing to either copy leaves the other as it
/// was. Methods borrow their tensor; operators take it by value or by reference, and a value that
/// nobody else holds lends its memory to the result.
pub struct Tensor<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element = f32> {
    pub(crate) raw: Raw<E>,
    shape: PhantomData<fn() -> S>,
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Tensor<R, S, E> {
    /// Declares untyped data to have shape `S`.
    pub(crate) fn from_raw(raw: Raw<E>) -> Self {
        debug_assert_eq!(
            raw.values.len(),
            S::NUMEL * raw.values.mark().copies(),
            "values and shape do not fit"
        );
        Tensor {
            raw,
            shape: PhantomData,
        }
    }

    pub(crate) fn input(values: Buffer<E>) -> Self {
        if anomaly::on() {
            anomaly::data(&values);
        }
        Self::from_raw(Raw::input(values))
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Clone for Tensor<R, S, E> {
    fn clone(&self) -> Self {
        Tensor {
            raw: self.raw.clone(),
            shape: PhantomData,
        }
    }
}

impl<const R: usize> RankFamily for Rank<R> {
    type Tensor<S: AnyShape<Rank = Self>, E: Element> = Tensor<R, S, E>;
    type Mask<S: AnyShape<Rank = Self>> = Mask<R, S>;

    fn wrap<S: AnyShape<Rank = Self>, E: Element>(raw: Raw<E>) -> Tensor<R, S, E> {
        Tensor::from_raw(raw)
    }
    fn raw<S: AnyShape<Rank = Self>, E: Element>(tensor: &Tensor<R, S, E>) -> &Raw<E> {
        &tensor.raw
    }
    fn wrap_mask<S: AnyShape<Rank = Self>>(flags: mask::Flags) -> Mask<R, S> {
        Mask::from_flags(flags)
    }
    fn flags<S: AnyShape<Rank = Self>>(mask: &Mask<R, S>) -> mask::Flags {
        mask::Flags(mask.flags.clone())
    }
}

/// The tensor of shape `S` that holds `raw`.
pub(crate) fn wrap<S: AnyShape, E: Element>(raw: Raw<E>) -> TensorOf<S, E> {
    <S::Rank as RankFamily>::wrap::<S, E>(raw)
}

/// A tensor without its type, whose shape is known by name alone.
pub(crate) fn raw_of<S: AnyShape, E: Element>(tensor: &TensorOf<S, E>) -> &Raw<E> {
    <S::Rank as RankFamily>::raw::<S, E>(tensor)
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The sizes of the axes, outermost first. PyTorch: `size`, `shape`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<2, shape![3, 4]>::zeros().dims(), [3, 4]);
    /// ```
    pub fn dims(&self) -> [usize; R] {
        S::SIZES
    }

    /// The number of elements. PyTorch: `numel`; NumPy: `size`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<2, shape![3, 4]>::zeros().numel(), 12);
    /// ```
    pub fn numel(&self) -> usize {
        S::NUMEL
    }
}
