//! Derivatives along one direction, by dual numbers.

use super::functional::{Inputs, collected, gradients_of, id_of, raws_of};
use crate::dual::Dual;
use crate::element::Element;
use crate::graph::{Node, Reach, recording};
use crate::shape::Shape;
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
    let output = function(collected(dual(&inputs, &tangents)));
    let (values, tangents) = parts(&output.raw.values);
    (Tensor::input(values), Tensor::input(tangents))
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
    let mut leaves = dual(&inputs, &tangents);
    let mut i = 0;
    inputs.raws(&mut |_, dims| {
        leaves[i].node = Some(Node::leaf(dims));
        i += 1;
    });
    let ids: Vec<_> = leaves.iter().map(id_of).collect();
    let numels: Vec<_> = leaves.iter().map(|leaf| leaf.values.len()).collect();
    let output = recording(|| loss(collected(leaves)));
    let seed = Buffer::filled(1, Dual::constant(num_traits::One::one()));
    let found = gradients_of(&output.raw, seed, &ids, Reach::Through);
    let zeros = |len| Buffer::filled(len, num_traits::Zero::zero());
    let grads: (Vec<_>, Vec<_>) = found
        .into_iter()
        .zip(numels)
        .map(|(grad, numel)| parts(&grad.unwrap_or_else(|| zeros(numel))))
        .map(|(value, tangent)| (Raw::input(value), Raw::input(tangent)))
        .unzip();
    (collected(grads.0), collected(grads.1))
}

/// The inputs as dual numbers that move along the tangents.
fn dual<I: Inputs>(inputs: &I, tangents: &I) -> Vec<Raw<Dual<I::Element>>> {
    raws_of(inputs)
        .into_iter()
        .zip(raws_of(tangents))
        .map(|(value, tangent)| {
            let dual = |i: usize| Dual::new(value.values[i], tangent.values[i]);
            Raw::input(Buffer::from_fn(value.values.len(), dual))
        })
        .collect()
}

/// Values and tangents apart.
fn parts<E: Element>(duals: &[Dual<E>]) -> (Buffer<E>, Buffer<E>) {
    (
        Buffer::from_fn(duals.len(), |i| duals[i].value),
        Buffer::from_fn(duals.len(), |i| duals[i].tangent),
    )
}
