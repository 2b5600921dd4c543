//! Lookups in a table, generic over vocabulary, width and the shape of the tokens.

use shapeproof::prelude::*;

fn embed<B: Axis, T: Axis, const V: usize, D: Axis>(
    table: &Param<2, (Dim<V>, D)>,
    tokens: &Indices<2, (B, T), V>,
) -> Tensor<3, (B, T, D)> {
    table.embedding(tokens)
}

fn main() {
    let table = Param::new(Tensor::<2, shape![10, 4]>::ones());
    let tokens = Indices::<2, shape![2, 3], 10>::from_array([[1, 2, 3], [4, 5, 9]]).unwrap();
    embed(&table, &tokens).sum().backward();
    assert_eq!(table.grad().unwrap().sum_axis::<1>()[[9]], 4.0);
    let hot: Tensor<3, shape![2, 3, 10]> = tokens.one_hot();
    assert_eq!(hot.sum().item(), 6.0);
}
