//! A trainable leaf, owned by the model.

use super::{Raw, Tensor};
use crate::element::Element;
use crate::graph::level::read;
use crate::graph::{Node, no_grad};
use crate::ops::examples::{dims_of_marked, values_at_depth};
use crate::shape::{AnyShape, Rank, Shape};
use crate::storage::Mark;
use std::fmt;
use std::ops::Deref;

/// A trainable tensor: a leaf of every graph it takes part in. PyTorch: `nn.Parameter`.
///
/// It derefs to its [`Tensor`], so all methods work on it, and operators take it by reference. Optimizers
/// change its value; a graph that was recorded before keeps the value it saw.
///
/// Without an optimizer, `-=` and its kin take a step; the new value is that of a leaf, and the gradient stays:
///
/// ```
/// use shapeproof::prelude::*;
///
/// let mut w = Param::<1, shape![2]>::ones();
/// for _ in 0..3 {
///     w.zero_grad();
///     w.square().sum().backward();
///     w -= w.grad().unwrap() * 0.25; // 1, 1/2, 1/4, 1/8
/// }
/// assert_eq!(w.to_array(), [0.125, 0.125]);
/// ```
///
/// A clone is a parameter of its own, with equal value and no gradient. To use one parameter in several
/// places, use it several times in `forward`; its gradient is the sum over the uses.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let w = Param::<1, shape![2]>::new(Tensor::from([1.0, 2.0]));
/// (&w * 3.0).sum().backward();
/// assert_eq!(w.grad().unwrap().to_array(), [3.0, 3.0]);
/// ```
pub struct Param<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element = f32> {
    tensor: Tensor<R, S, E>,
}

impl<const R: usize, S: Shape<R>, E: Element> Param<R, S, E> {
    /// A parameter that starts with this value. What graph the value came from stays behind.
    pub fn new(value: Tensor<R, S, E>) -> Self {
        Param {
            tensor: value.tracked(),
        }
    }

    /// A parameter of zeros.
    pub fn zeros() -> Self {
        Self::new(Tensor::zeros())
    }

    /// A parameter of ones.
    pub fn ones() -> Self {
        Self::new(Tensor::ones())
    }

    /// A parameter of equal numbers.
    pub fn full(value: E) -> Self {
        Self::new(Tensor::full(value))
    }

    /// The value, detached.
    pub fn value(&self) -> Tensor<R, S, E> {
        self.tensor.detach()
    }

    /// The values in row-major order, for writing. Graphs recorded before keep what they saw, and the
    /// gradient stays as it is.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let mut w = Param::<1, shape![2]>::ones();
    /// let loss = w.square().sum();
    /// w.as_mut_slice().fill(100.0);
    /// loss.backward();
    /// assert_eq!(w.grad().unwrap().to_array(), [2.0, 2.0]);
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [E] {
        read(&self.tensor.raw.values);
        self.tensor.raw.values.make_mut()
    }

    /// Sets the value. Graphs recorded before keep what they saw, and the gradient stays as it is.
    pub fn set(&mut self, value: &Tensor<R, S, E>) {
        if value.raw.values.mark() != self.tensor.raw.values.mark() {
            read(&value.raw.values);
        }
        self.tensor.raw.values = value.raw.values.clone();
    }

    /// Lets `edit` change the value, without recording how.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Tensor<R, S, E>)) {
        let mut value = self.value();
        no_grad(|| edit(&mut value));
        self.set(&value);
    }

    /// Sets the gradient, or removes it: for clipping, and for gradients computed elsewhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let w = Param::<1, shape![2]>::ones();
    /// (&w * 6.0).sum().backward();
    /// w.set_grad(w.grad().map(|g| g.clamp(-1.0, 1.0)));
    /// assert_eq!(w.grad().unwrap().to_array(), [1.0, 1.0]);
    /// ```
    pub fn set_grad(&self, grad: Option<Tensor<R, S, E>>) {
        if let Some(node) = &self.tensor.raw.node {
            let own = self.tensor.raw.values.mark().each();
            node.set_grad(grad.map(|grad| match grad.raw.values.mark() {
                mark if mark == own => grad.raw.values.marked(Mark::NONE),
                _ => values_at_depth(read(&grad.raw.values), own.depth()).marked(Mark::NONE),
            }));
        }
    }

    pub(crate) fn raw_mut(&mut self) -> &mut Raw<E> {
        &mut self.tensor.raw
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Deref for Param<R, S, E> {
    type Target = Tensor<R, S, E>;
    fn deref(&self) -> &Tensor<R, S, E> {
        &self.tensor
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Clone for Param<R, S, E> {
    fn clone(&self) -> Self {
        Param {
            tensor: Tensor::from_raw(Raw {
                values: self.tensor.raw.values.clone(),
                node: Some(Node::leaf(dims_of_marked(
                    S::DIMS,
                    self.tensor.raw.values.mark(),
                ))),
            }),
        }
    }
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> fmt::Debug for Param<R, S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = &self.tensor.raw.values;
        let dims = super::display::all_dims(values, S::DIMS);
        super::display::nested(f, "Param(", values, &dims, ")")
    }
}

impl<const R: usize, S: Shape<R>, E: Element> fmt::Display for Param<R, S, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tensor.fmt(f)
    }
}
