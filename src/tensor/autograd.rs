//! The user's side of the graph: tracking, backward, gradients.

use super::{Raw, Tensor};
use crate::element::Element;
use crate::graph::{Node, NodeView};
use crate::ops::Engine;
use crate::shape::{Shape, SingleNumber};
use crate::storage::Buffer;

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// This tensor as a leaf of a graph: operations on it are recorded, and backward leaves its gradient
    /// in [`grad`](Self::grad). It starts afresh: whatever graph the tensor came from stays behind.
    ///
    /// `x += …` makes it a result like any other; to change a leaf in place, write to
    /// [`as_mut_slice`](Self::as_mut_slice).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(3.0f32).tracked();
    /// (&x * &x).backward();
    /// assert_eq!(x.grad().unwrap().item(), 6.0);
    /// ```
    pub fn tracked(self) -> Self {
        Self::from_raw(Raw {
            values: self.raw.values,
            node: Some(Node::leaf(S::DIMS)),
        })
    }

    /// True for leaves and for results of recorded operations.
    pub fn is_tracked(&self) -> bool {
        self.raw.node.is_some()
    }

    /// The same values with no graph behind them. The values are shared, not copied.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(3.0f32).tracked();
    /// assert!(!x.square().detach().is_tracked());
    /// ```
    pub fn detach(&self) -> Self {
        Self::input(self.raw.values.clone())
    }

    /// The gradient that backward passes have left here, summed over all of them since it was last
    /// zeroed; `None` if there was none.
    ///
    /// Leaves keep their gradient; results do after [`retain_grad`](Self::retain_grad).
    pub fn grad(&self) -> Option<Self> {
        self.raw.node.as_ref()?.grad().map(Self::input)
    }

    /// Forgets the gradient: [`grad`](Self::grad) is `None` again.
    pub fn zero_grad(&self) {
        if let Some(node) = &self.raw.node {
            node.set_grad(None);
        }
    }

    /// Lets this result keep its gradient, as leaves do.
    ///
    /// # Panics
    /// If the tensor is not tracked: it will never have one.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(3.0f32).tracked();
    /// let y = &x * 2.0;
    /// y.retain_grad();
    /// y.square().backward();
    /// assert_eq!(y.grad().unwrap().item(), 12.0);
    /// ```
    #[track_caller]
    pub fn retain_grad(&self) {
        match &self.raw.node {
            Some(node) => node.retain_grad(),
            None => {
                panic!("retain_grad on a tensor that is not tracked: no gradient will reach it")
            }
        }
    }

    /// Sends `seed`, the gradient of some loss with respect to this tensor, back through the graph, and
    /// frees the graph on the way.
    ///
    /// Gradients are added to those that leaves have already.
    ///
    /// # Panics
    /// As [`backward`](Self::backward).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]).tracked();
    /// x.square().backward_with(&Tensor::from([1.0, 10.0]));
    /// assert_eq!(x.grad().unwrap().to_array(), [2.0, 40.0]);
    /// ```
    #[track_caller]
    pub fn backward_with(&self, seed: &Self) {
        self.start_backward(seed.raw.values.clone(), false);
    }

    /// [`backward_with`](Self::backward_with), but the graph stays, for another pass.
    ///
    /// # Panics
    /// As [`backward`](Self::backward).
    #[track_caller]
    pub fn backward_with_retaining(&self, seed: &Self) {
        self.start_backward(seed.raw.values.clone(), true);
    }

    #[track_caller]
    fn start_backward(&self, seed: Buffer<E>, retain: bool) {
        match &self.raw.node {
            Some(node) => <E::Ops as Engine<E>>::backward(node, seed, retain),
            None => panic!(
                "backward on a tensor that is not tracked: no parameter or `tracked()` tensor took part in \
                 it, or `no_grad` was on"
            ),
        }
    }

    /// The node behind this tensor, for a look at the graph; `None` if it is not tracked.
    pub fn node(&self) -> Option<NodeView<E>> {
        self.raw.node.as_ref().map(NodeView::new)
    }

    /// Computes the gradient of this number with respect to every leaf behind it, and adds it to what the
    /// leaf has already. It exists for rank 0 alone; [`backward_with`](Self::backward_with) takes a
    /// seed for other shapes.
    ///
    /// What operations have saved is freed as soon as it has been used. A second pass over a part that
    /// was freed is refused before it touches any gradient; [`backward_retaining`](Self::backward_retaining)
    /// keeps the graph for one.
    ///
    /// # Panics
    /// If the tensor is not tracked, or an earlier pass has freed a part of its graph.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]).tracked();
    /// x.square().sum().backward();
    /// x.sum().backward(); // a second graph: gradients add up
    /// assert_eq!(x.grad().unwrap().to_array(), [3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn backward(&self)
    where
        S: SingleNumber,
    {
        self.start_backward(Buffer::filled(1, E::one()), false);
    }

    /// [`backward`](Self::backward), but the graph stays, for another pass.
    ///
    /// # Panics
    /// As [`backward`](Self::backward).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(3.0f32).tracked();
    /// let y = x.square();
    /// y.backward_retaining();
    /// y.backward();
    /// assert_eq!(x.grad().unwrap().item(), 12.0);
    /// ```
    #[track_caller]
    pub fn backward_retaining(&self)
    where
        S: SingleNumber,
    {
        self.start_backward(Buffer::filled(1, E::one()), true);
    }
}
