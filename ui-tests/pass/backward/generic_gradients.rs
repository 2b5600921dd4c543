//! Hooks and gradients as values in code that is generic over shapes and elements.

use shapeproof::autograd::{grad, value_and_grad, vjp};
use shapeproof::element::Element;
use shapeproof::prelude::*;

/// Clips every gradient that passes.
fn clipped<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) {
    x.register_hook(|grad| grad.clamp(-E::one(), E::one()));
}

/// One step of steepest descent on any function.
fn step<const R: usize, S: Shape<R>, E: Element>(
    loss: impl Fn(&Tensor<R, S, E>) -> Tensor<0, (), E>,
    x: &Tensor<R, S, E>,
    rate: E,
) -> Tensor<R, S, E> {
    let (_, grad) = value_and_grad(|x| loss(&x), x);
    x - grad * rate
}

fn pull<const N: usize, const M: usize>(
    w: &Tensor<2, shape![N, M]>,
    x: &Tensor<1, shape![N]>,
    seed: &Tensor<1, shape![M]>,
) -> (Tensor<2, shape![N, M]>, Tensor<1, shape![N]>) {
    let (_, pullback) = vjp(
        |(w, x): (Tensor<2, shape![N, M]>, Tensor<1, shape![N]>)| x.matmul(&w),
        (w, x),
    );
    pullback(seed)
}

fn main() {
    let x = Tensor::from([3.0f64, -4.0]).tracked();
    clipped(&x);
    assert_eq!(grad(&x.square().sum(), &x).to_array(), [1.0, -1.0]);

    let next = step(|x| x.square().sum(), &Tensor::from([3.0f32, -4.0]), 0.5);
    assert_eq!(next.to_array(), [0.0, 0.0]);

    let (dw, dx) = pull(
        &Tensor::from([[1.0, 2.0, 3.0]]),
        &Tensor::from([5.0]),
        &Tensor::ones(),
    );
    assert_eq!((dw.to_array(), dx.to_array()), ([[5.0; 3]], [6.0]));
}
