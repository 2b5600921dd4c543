//! Scaled dot-product attention, generic over every axis.

use shapeproof::prelude::*;

fn attention<B: Axis, Q: Axis, K: Axis, D: Axis, V: Axis>(
    queries: &Tensor<3, (B, Q, D)>,
    keys: &Tensor<3, (B, K, D)>,
    values: &Tensor<3, (B, K, V)>,
) -> Tensor<3, (B, Q, V)> {
    let scale = (D::SIZE as f32).sqrt().recip();
    let scores = queries.matmul(&keys.t()) * scale;
    scores.softmax::<2>().matmul(values)
}

fn main() {
    let queries = Tensor::<3, shape![2, 5, 8]>::zeros();
    let keys = Tensor::<3, shape![2, 7, 8]>::ones();
    let values = Tensor::<3, shape![2, 7, 3]>::ones();
    assert!((attention(&queries, &keys, &values)[[1, 4, 2]] - 1.0).abs() < 1e-6);
}
