//! What `select` chooses from stretches to the mask's shape.

use shapeproof::prelude::*;

fn masked_mean<const R: usize, S: Shape<R>>(x: &Tensor<R, S>, mask: &Mask<R, S>) -> Tensor<0, ()> {
    mask.select(x, &Tensor::scalar(0.0)).sum() / mask.count() as f32
}

fn causal<const T: usize>(scores: &Tensor<2, shape![T, T]>) -> Tensor<2, shape![T, T]> {
    let position = Tensor::<1, shape![T]>::arange(0.0, 1.0);
    let allowed = position.unsqueeze::<1>().ge(&position);
    allowed.select(scores, &Tensor::scalar(f32::NEG_INFINITY))
}

fn main() {
    let x = Tensor::from([[1.0, -2.0], [3.0, -4.0]]);
    assert_eq!(masked_mean(&x, &x.gt(0.0)).item(), 2.0);
    assert_eq!(causal(&x).softmax::<1>()[[0, 1]], 0.0);
}
