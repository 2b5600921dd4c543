//! The user's side of the graph: tracking, backward, gradients.

use super::{Raw, Tensor};
use crate::element::Element;
use crate::graph::{Call, Hook, Node, NodeView};
use crate::ops::Engine;
use crate::ops::examples::{dims_of_marked, of_gradient, seed_of};
use crate::shape::{AnyShape, Rank, Shape, SingleNumber};

/// What a hook on a gradient may return: nothing, or a gradient to go on with.
#[diagnostic::on_unimplemented(
    message = "a hook does not return a `{Self}`",
    label = "this closure looks at the gradient, or returns another one",
    note = "a gradient has the shape of its tensor: return nothing, a `Tensor<{R}, {S}>`, or an `Option` of one"
)]
pub trait Replacement<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> {
    #[doc(hidden)]
    fn replacement(self) -> Option<Tensor<R, S, E>>;
}

impl<const R: usize, S: Shape<R>, E: Element> Replacement<R, S, E> for () {
    fn replacement(self) -> Option<Tensor<R, S, E>> {
        None
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Replacement<R, S, E> for Tensor<R, S, E> {
    fn replacement(self) -> Option<Tensor<R, S, E>> {
        Some(self)
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Replacement<R, S, E> for Option<Tensor<R, S, E>> {
    fn replacement(self) -> Option<Tensor<R, S, E>> {
        self
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// This tensor as a leaf of a graph: operations on it are recorded, and backward leaves its gradient
    /// in [`grad`](Self::grad). PyTorch: `requires_grad_`. It starts afresh: whatever graph the tensor came from stays behind.
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
        let dims = dims_of_marked(S::DIMS, self.raw.values.mark());
        Self::from_raw(Raw {
            values: self.raw.values,
            node: Some(Node::leaf(dims)),
        })
    }

    /// True for leaves and for results of recorded operations.
    pub fn is_tracked(&self) -> bool {
        self.raw.node.is_some()
    }

    /// The same values with no graph behind them. PyTorch: `detach`. The values are shared, not copied.
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
    /// zeroed; `None` if there was none. PyTorch: `grad`.
    ///
    /// Leaves keep their gradient; results do after [`retain_grad`](Self::retain_grad).
    pub fn grad(&self) -> Option<Self> {
        let grad = self.raw.node.as_ref()?.grad()?;
        Some(Self::input(grad.marked(self.raw.values.mark().each())))
    }

    /// Forgets the gradient: [`grad`](Self::grad) is `None` again.
    pub fn zero_grad(&self) {
        if let Some(node) = &self.raw.node {
            node.set_grad(None);
        }
    }

    /// Lets this result keep its gradient, as leaves do. PyTorch: `retain_grad`.
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

    /// Calls `hook` with the gradient of some loss with respect to this tensor in every backward pass, once the
    /// gradient is complete: summed over all uses of the tensor. PyTorch: `register_hook`.
    ///
    /// A hook that returns nothing looks on; one that returns a tensor, which has this one's shape, replaces the
    /// gradient from there on. Hooks run in the order in which they were registered, each on what the one before
    /// left, before the gradient is added to [`grad`](Self::grad) and goes on to the operands. They run in
    /// [`no_grad`](crate::graph::no_grad), and may start passes of their own or remove hooks.
    ///
    /// A hook that holds the tensor itself keeps it alive for good: let it hold what it needs of it instead.
    ///
    /// # Panics
    /// If the tensor is not tracked: no gradient will ever reach it.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([2.0f32, 3.0]).tracked();
    /// let y = &x * 4.0;
    /// y.register_hook(|grad| println!("reached y: {grad}"));
    /// y.register_hook(|grad| grad.clamp(-1.0, 1.0));
    /// y.square().sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [4.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn register_hook<T: Replacement<R, S, E>>(
        &self,
        hook: impl Fn(&Self) -> T + Send + Sync + 'static,
    ) -> Hook<E> {
        let mark = self.raw.values.mark();
        self.register(Call::Before(of_gradient(mark, move |grad| {
            let grad = Self::from_raw(grad);
            let replacement = hook(&grad).replacement();
            replacement.unwrap_or(grad).raw
        })))
    }

    /// Calls `hook` in every backward pass after a gradient was added to [`grad`](Self::grad), with the sum: for
    /// what wants to act on a leaf's gradient as soon as it is there. PyTorch:
    /// `register_post_accumulate_grad_hook`.
    ///
    /// It runs for tensors that keep their gradient, as [`register_hook`](Self::register_hook) describes.
    ///
    /// # Panics
    /// If the tensor is not tracked: no gradient will ever reach it.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// use std::sync::{Arc, Mutex};
    ///
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let w = Param::<0, shape![]>::ones();
    /// let log = seen.clone();
    /// w.register_post_accumulate_grad_hook(move |sum| log.lock().unwrap().push(sum.item()));
    /// (&w * 3.0).backward();
    /// (&w * 4.0).backward();
    /// assert_eq!(*seen.lock().unwrap(), [3.0, 7.0]);
    /// ```
    #[track_caller]
    pub fn register_post_accumulate_grad_hook(
        &self,
        hook: impl Fn(&Self) + Send + Sync + 'static,
    ) -> Hook<E> {
        let mark = self.raw.values.mark();
        let call = of_gradient(mark, move |sum| {
            let sum = Self::from_raw(sum);
            hook(&sum);
            sum.raw
        });
        self.register(Call::After(Box::new(move |sum| drop(call(sum)))))
    }

    #[track_caller]
    fn register(&self, call: Call<E>) -> Hook<E> {
        match &self.raw.node {
            Some(node) => Hook::register(node, call),
            None => panic!("a hook on a tensor that is not tracked: no gradient will reach it"),
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
        self.start_backward(Some(seed), false);
    }

    /// [`backward_with`](Self::backward_with), but the graph stays, for another pass.
    ///
    /// # Panics
    /// As [`backward`](Self::backward).
    #[track_caller]
    pub fn backward_with_retaining(&self, seed: &Self) {
        self.start_backward(Some(seed), true);
    }

    #[track_caller]
    fn start_backward(&self, seed: Option<&Self>, retain: bool) {
        match &self.raw.node {
            Some(node) => {
                let seed = seed_of(&self.raw, seed.map(|seed| &seed.raw));
                if let Err(freed) = <E::Ops as Engine<E>>::backward(node, seed, retain) {
                    freed.refuse();
                }
            }
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
    /// leaf has already. PyTorch: `backward`. It exists for rank 0 alone; [`backward_with`](Self::backward_with) takes a
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
        self.start_backward(None, false);
    }

    /// [`backward`](Self::backward), but the graph stays, for another pass. PyTorch: `backward(retain_graph=True)`.
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
        self.start_backward(None, true);
    }
}
