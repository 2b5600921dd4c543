//! Functions of two tensors take any shape against itself, and a bias against a batch, with any element.

use shapeproof::prelude::*;

fn of_one_shape<const R: usize, S: Shape<R>, E: Element>(
    a: &Tensor<R, S, E>,
    b: &Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    let size = a.hypot(b).maximum(&a.minimum(b)).pow(&b.abs());
    let angle = a.atan2(b).fmod(b) + a.remainder(b);
    size.logaddexp(&angle).lerp(a, E::one()).lerp_by(b, a).prelu(&b.abs())
}

fn against_a_bias<B: Axis, N: Axis, E: Element>(
    x: &Tensor<2, (B, N), E>,
    bias: &Tensor<1, (N,), E>,
) -> Tensor<2, (B, N), E> {
    x.maximum(bias).hypot(bias).lerp(bias, E::zero()).prelu(bias)
}

fn main() {
    let (a, b) = (Tensor::from([1.0f64, 2.0]), Tensor::from([3.0, 4.0]));
    assert_eq!(of_one_shape(&a, &b).dims(), [2]);
    let x = Tensor::<2, shape![3, 2]>::full(3.0);
    assert_eq!(against_a_bias(&x, &Tensor::full(4.0)), Tensor::full(32f32.sqrt()));
}
