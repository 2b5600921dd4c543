//! Every row of one table against every row of another, in generic code.

use shapeproof::prelude::*;

fn squared_distances<M: Axis, N: Axis, D: Axis, E: Element>(
    x: &Tensor<2, (M, D), E>,
    y: &Tensor<2, (N, D), E>,
) -> Tensor<2, (M, N), E> {
    (x.unsqueeze::<1>() - y.unsqueeze::<0>())
        .square()
        .sum_axis::<2>()
}

fn main() {
    let x = Tensor::from([[0.0f32, 0.0], [3.0, 4.0]]);
    let y = Tensor::from([[0.0f32, 0.0], [1.0, 0.0], [3.0, 0.0]]);
    assert_eq!(
        squared_distances(&x, &y).to_array(),
        [[0.0, 1.0, 9.0], [25.0, 20.0, 16.0]]
    );
}
