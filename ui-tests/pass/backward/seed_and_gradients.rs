//! A seed has the tensor's shape, a gradient that of its parameter, in generic code too.

use shapeproof::prelude::*;

fn vector_jacobian<const R: usize, S: Shape<R>>(
    f: impl Fn(&Tensor<R, S>) -> Tensor<R, S>,
    x: Tensor<R, S>,
    seed: &Tensor<R, S>,
) -> Tensor<R, S> {
    let x = x.tracked();
    f(&x).backward_with(seed);
    x.grad().expect("`f` used its argument")
}

fn main() {
    let seed = Tensor::from([1.0, 10.0]);
    let gradient = vector_jacobian(|x| x.square(), Tensor::from([3.0, 4.0]), &seed);
    assert_eq!(gradient.to_array(), [6.0, 80.0]);
}
