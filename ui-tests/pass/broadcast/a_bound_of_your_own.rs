//! A function of two shapes that fit states the rule itself as its bound.

use shapeproof::prelude::*;
use shapeproof::shape::Broadcast;

fn sum_of_products<const P: usize, const Q: usize, A, B>(x: &Tensor<P, A>, y: &Tensor<Q, B>) -> f32
where
    A: Shape<P> + Broadcast<B, Output: Shape<2>>,
    B: Shape<Q>,
{
    (x * y).sum().item()
}

fn main() {
    let column = Tensor::<2, shape![3, 1]>::ones();
    let row = Tensor::<1, shape![4]>::ones();
    assert_eq!(sum_of_products(&column, &row), 12.0);
}
