//! Parts of a graph that keep no activations: backward computes them again.

use super::functional::{Inputs, Tensors, collected, gradients_of, id_of, raws_of};
use crate::element::Element;
use crate::graph::level::Levels;
use crate::graph::{Cotangents, Node, Reach, Rule, Saved, record_list, recording, watching};
use crate::ops::examples::dims_of_marked;
use crate::shape::AnyShape;
use crate::storage::Buffer;
use crate::tensor::{Part, Raw};
use std::sync::Arc;

/// The value of `function` at `inputs`, without the activations on the way: backward computes them again, for
/// time in place of memory. PyTorch: `utils.checkpoint`.
///
/// Only the inputs are kept. A chain of n layers that is cut into √n such parts keeps about √n activations at a time
/// instead of n. Parts may be nested.
///
/// Tracked tensors that the function captures, such as the parameters of a model behind an `Arc`, take part as the
/// inputs do. The function must compute the same each time: one that draws random numbers belongs to
/// [`checkpoint_with_rng`].
///
/// ```
/// use shapeproof::autograd::checkpoint;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 2.0]).tracked();
/// let w = Param::<1, shape![2]>::ones();
/// let y = checkpoint(|(x, w)| (x * w).exp().sin(), (&x, &w));
/// y.sum().backward();
/// let recomputed = x.grad();
/// x.zero_grad();
/// (&x * &w).exp().sin().sum().backward();
/// assert_eq!(recomputed, x.grad());
/// ```
pub fn checkpoint<I, O, E>(
    function: impl Fn(I::Tensors) -> O + Send + Sync + 'static,
    inputs: I,
) -> O
where
    I: Inputs<Element = E>,
    O: Tensors<Element = E> + Part<Element = E>,
    E: Element,
{
    let function = Arc::new(function);
    let again = function.clone();
    kept_short(
        inputs,
        |inputs| function(inputs),
        move |inputs| again(inputs),
    )
}

/// [`checkpoint`] of a function that draws random numbers: backward draws the same ones again.
///
/// ```
/// use shapeproof::autograd::checkpoint_with_rng;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::<1, shape![1000]>::ones().tracked();
/// let y = checkpoint_with_rng(|x: Tensor<1, shape![1000]>, rng| x.dropout(0.5, true, rng), &x, &mut Rng::seed(0));
/// y.sum().backward();
/// assert_eq!(x.grad().unwrap(), y.detach());
/// ```
pub fn checkpoint_with_rng<I, O, E, G>(
    function: impl Fn(I::Tensors, &mut G) -> O + Send + Sync + 'static,
    inputs: I,
    rng: &mut G,
) -> O
where
    I: Inputs<Element = E>,
    O: Tensors<Element = E> + Part<Element = E>,
    E: Element,
    G: Clone + Send + Sync + 'static,
{
    let before = rng.clone();
    let function = Arc::new(function);
    let again = function.clone();
    kept_short(
        inputs,
        |inputs| function(inputs, rng),
        move |inputs| again(inputs, &mut before.clone()),
    )
}

/// Computes `now`, and records that `again` computes the same.
fn kept_short<I, O, E>(
    inputs: I,
    now: impl FnOnce(I::Tensors) -> O,
    again: impl Fn(I::Tensors) -> O + Send + Sync + 'static,
) -> O
where
    I: Inputs<Element = E>,
    O: Tensors<Element = E> + Part<Element = E>,
    E: Element,
{
    let raws = raws_of(&inputs);
    let plain: Vec<_> = raws
        .iter()
        .map(|raw| Raw::input(raw.values.clone()))
        .collect();
    let (output, captured) = watching(|| now(collected(plain.iter().cloned())));
    let nodes = raws.iter().map(|raw| raw.node.as_ref());
    let nodes = nodes.chain(captured.iter().map(Some));
    let values = output.raw().values.clone();
    let dims = dims_of_marked(O::Shape::DIMS, values.mark());
    let node = record_list(nodes, dims, || Checkpoint {
        captured: captured.iter().map(|node| node.id()).collect(),
        inputs: plain,
        levels: Levels::now(),
        again: move |leaves| again(collected(leaves)).raw().clone(),
    });
    let result = Raw { values, node }.examined(O::Shape::DIMS);
    collected([result])
}

struct Checkpoint<E: Element, F> {
    inputs: Vec<Raw<E>>,
    /// The numbers of the nodes that the function brings along.
    captured: Vec<u64>,
    /// The maps that were under way, which the inputs may belong to.
    levels: Levels,
    again: F,
}

impl<E: Element, F> Rule<E> for Checkpoint<E, F>
where
    F: Fn(Vec<Raw<E>>) -> Raw<E> + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        "checkpoint"
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let leaf = |(i, input): (usize, &Raw<E>)| Raw {
            values: input.values.clone(),
            node: to.dims(i).map(Node::leaf),
        };
        let leaves: Vec<_> = self.inputs.iter().enumerate().map(leaf).collect();
        let mut ids: Vec<_> = leaves.iter().map(id_of).collect();
        ids.extend(self.captured.iter().copied().map(Some));
        let output = recording(|| self.levels.within(|| (self.again)(leaves)));
        let grads = gradients_of(&output, grad, &ids, Reach::To);
        for (i, grad) in grads.into_iter().enumerate() {
            if let Some(dims) = to.dims(i) {
                let zeros = || Buffer::filled(dims.iter().product(), E::zero());
                to.give(i, grad.unwrap_or_else(zeros));
            }
        }
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        for input in &self.inputs {
            visit("input", Saved::Values(&input.values));
        }
    }
}
