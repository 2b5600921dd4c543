//! Derivatives along one direction, by dual numbers.

use super::functional::{Inputs, Tensors, collected, grad_at, gradients_of, id_of, raws_of};
use crate::dual::Dual;
use crate::element::Element;
use crate::graph::{Node, Reach, level, recording};
use crate::ops::examples::{dims_of_marked, seed_of, values_at_depth};
use crate::shape::{Dims, Shape};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

/// The value of `function` at `inputs`, and how it changes as the inputs move along `tangents`: the Jacobian times
/// the direction. JAX: `jvp`; PyTorch: `func.jvp`.
///
/// One pass forward, without a graph. The function is called with [dual numbers](crate::dual), so it is written for
/// any [`Element`]. Directions have the types of their inputs.
///
/// ```
/// use shapeproof::autograd::jvp;
/// use shapeproof::prelude::*;
///
/// fn length<E: Element>(x: &Tensor<1, shape![2], E>) -> Tensor<0, (), E> {
///     x.square().sum().sqrt()
/// }
/// let (x, direction) = (Tensor::from([3.0f64, 4.0]), Tensor::from([1.0, 0.0]));
/// let (value, change) = jvp(|x| length(&x), &x, &direction);
/// assert_eq!((value.item(), change.item()), (5.0, 0.6));
/// ```
pub fn jvp<I, const R: usize, S: Shape<R>>(
    function: impl FnOnce(I::Duals) -> Tensor<R, S, Dual<I::Element>>,
    inputs: I,
    tangents: I,
) -> (Tensor<R, S, I::Element>, Tensor<R, S, I::Element>)
where
    I: Inputs,
{
    jvp_at(function, duals(&values_of(&inputs), &values_of(&tangents)))
}

/// The gradients of `loss` at `inputs`, and how they change as the inputs move along `tangents`: the Hessian times
/// the direction. JAX: `jvp` of `grad`.
///
/// One pass forward and one backward, both with [dual numbers](crate::dual); nothing of the size of the Hessian is
/// formed. As [`jvp`] otherwise. Parameters that the function captures take part as constants.
///
/// ```
/// use shapeproof::autograd::hvp;
/// use shapeproof::prelude::*;
///
/// fn loss<E: Element>(x: &Tensor<1, shape![2], E>) -> Tensor<0, (), E> {
///     x.powi(3).sum()
/// }
/// let (x, direction) = (Tensor::from([1.0f64, 2.0]), Tensor::from([1.0, 10.0]));
/// let (grad, change) = hvp(|x| loss(&x), &x, &direction);
/// assert_eq!(grad.to_array(), [3.0, 12.0]);
/// assert_eq!(change.to_array(), [6.0, 120.0]);
/// ```
pub fn hvp<I: Inputs>(
    loss: impl FnOnce(I::Duals) -> Tensor<0, (), Dual<I::Element>>,
    inputs: I,
    tangents: I,
) -> (I::Tensors, I::Tensors) {
    let mut all = Vec::new();
    inputs.raws(&mut |_, dims| all.push(dims));
    let start = duals(&values_of(&inputs), &values_of(&tangents));
    let (grads, changes) = hvp_at(loss, start, &all);
    (collected(grads), collected(changes))
}

/// The value at dual inputs, and its tangent.
pub(super) fn jvp_at<D, E: Element, const R: usize, S: Shape<R>>(
    function: impl FnOnce(D) -> Tensor<R, S, Dual<E>>,
    inputs: Vec<Buffer<Dual<E>>>,
) -> (Tensor<R, S, E>, Tensor<R, S, E>)
where
    D: Tensors<Element = Dual<E>>,
{
    let output = function(collected(inputs.into_iter().map(Raw::input)));
    let (values, tangents) = parts(&output.raw.values);
    (Tensor::from_raw(values), Tensor::from_raw(tangents))
}

/// The gradients at dual inputs of these sizes, and their tangents.
pub(super) fn hvp_at<D: Tensors<Element = Dual<E>>, E: Element>(
    loss: impl FnOnce(D) -> Tensor<0, (), Dual<E>>,
    inputs: Vec<Buffer<Dual<E>>>,
    dims: &[Dims],
) -> (Vec<Raw<E>>, Vec<Raw<E>>) {
    let leaf = |(values, &dims): (Buffer<_>, &Dims)| {
        // While a function is mapped, each example has a gradient of its own.
        let values = values_at_depth(&values, level::depth());
        let node = Some(Node::leaf(dims_of_marked(dims, values.mark())));
        Raw { values, node }
    };
    let leaves: Vec<_> = inputs.into_iter().zip(dims).map(leaf).collect();
    let ids: Vec<_> = leaves.iter().map(id_of).collect();
    let output = recording(|| loss(collected(leaves.iter().cloned())));
    let seed = seed_of(&output.raw, None);
    let found = gradients_of(&output.raw, seed, &ids, Reach::Through);
    let grads = leaves.iter().zip(found);
    grads
        .map(|(leaf, grad)| parts(&grad_at(leaf, grad).values))
        .unzip()
}

/// The values of the inputs.
pub(super) fn values_of<I: Inputs>(inputs: &I) -> Vec<Buffer<I::Element>> {
    let raws = raws_of(inputs);
    raws.into_iter().map(|raw| raw.values.clone()).collect()
}

/// Numbers that move along tangents.
pub(super) fn duals<E: Element>(
    values: &[Buffer<E>],
    tangents: &[Buffer<E>],
) -> Vec<Buffer<Dual<E>>> {
    let dual = |(x, v): (&Buffer<E>, &Buffer<E>)| {
        let depth = x.mark().depth().max(v.mark().depth());
        let (x, v) = (values_at_depth(x, depth), values_at_depth(v, depth));
        Buffer::from_fn(x.len(), |i| Dual::new(x[i], v[i])).marked(x.mark())
    };
    values.iter().zip(tangents).map(dual).collect()
}

/// Values and tangents apart.
fn parts<E: Element>(duals: &Buffer<Dual<E>>) -> (Raw<E>, Raw<E>) {
    let part = |part: fn(&Dual<E>) -> E| {
        let values = Buffer::from_fn(duals.len(), |i| part(&duals[i]));
        Raw::input(values.marked(duals.mark()))
    };
    (part(|dual| dual.value), part(|dual| dual.tangent))
}
