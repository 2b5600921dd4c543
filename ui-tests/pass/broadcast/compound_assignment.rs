//! The right side of `+=` stretches to the left one, which keeps its shape.

use shapeproof::prelude::*;

fn accumulate<B: Axis, N: Axis>(
    total: &mut Tensor<2, (B, N)>,
    row: &Tensor<1, (N,)>,
    column: &Tensor<2, (B, One)>,
) {
    *total += row;
    *total -= column;
    *total *= 2.0;
}

fn main() {
    let mut total = Tensor::<2, shape![2, 3]>::zeros();
    accumulate(&mut total, &Tensor::from([1.0, 2.0, 3.0]), &Tensor::ones());
    total /= Tensor::scalar(2.0);
    assert_eq!(total.to_array(), [[0.0, 1.0, 2.0]; 2]);
}
