//! A tensor without axes combines with a tensor of any shape, on either side.

use shapeproof::prelude::*;

fn scaled<const R: usize, S: Shape<R>, E: Element>(
    x: &Tensor<R, S, E>,
    factor: &Tensor<0, (), E>,
) -> Tensor<R, S, E> {
    factor * x + x * factor
}

fn main() {
    let factor = Tensor::scalar(3.0f32).tracked();
    let y = scaled(&Tensor::from([[1.0, 2.0]]), &factor);
    assert_eq!(y.to_array(), [[6.0, 12.0]]);
    y.sum().backward();
    assert_eq!(factor.grad().unwrap().item(), 6.0);
}
