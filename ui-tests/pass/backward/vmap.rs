//! Mapped functions in code that is generic over the number of examples, shapes and elements.

use shapeproof::autograd::{value_and_grad, vmap};
use shapeproof::prelude::*;

/// The gradient of each example's loss.
fn gradients<N: Axis, K: Axis, E: Element>(
    w: &Tensor<1, (K,), E>,
    xs: &Tensor<2, (N, K), E>,
) -> Tensor<2, (N, K), E> {
    vmap(|x| value_and_grad(|w| w.dot(&x).square(), w).1, xs)
}

/// The squares of many tensors of one shape.
fn squares<const N: usize, E: Element>(
    images: &Tensor<3, shape![N, 4, 4], E>,
) -> Tensor<3, shape![N, 4, 4], E> {
    vmap(|image| image.matmul(&image), images)
}

fn main() {
    let w = Tensor::from([1.0f64, 2.0]);
    let xs = Tensor::from([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let grads = gradients(&w, &xs);
    assert_eq!(grads.to_array(), [[2.0, 0.0], [0.0, 4.0], [6.0, 6.0]]);
    let images = Tensor::<3, shape![5, 4, 4], f32>::ones();
    assert_eq!(squares(&images).to_array(), [[[4.0; 4]; 4]; 5]);
    let one = Tensor::<2, (One, Dim<3>)>::ones();
    let sums: Tensor<1, (One,)> = vmap(|x| x.sum(), &one);
    assert_eq!(sums.to_array(), [3.0]);
}
