//! Entries in order, entries picked, and values put back, for all sizes.

use shapeproof::prelude::*;
use shapeproof::shape::{HasAxis, PositionsOf};

fn best<const B: usize, const N: usize, E: Element>(
    scores: &Tensor<2, shape![B, N], E>,
) -> (Tensor<2, shape![B, 2], E>, Indices<2, shape![B, 2], N>) {
    scores.topk::<1, 2>()
}

/// All scores but the best two are gone.
fn keep_best<const B: usize, const N: usize, E: Element>(
    scores: &Tensor<2, shape![B, N], E>,
) -> Tensor<2, shape![B, N], E> {
    let (values, at) = best(scores);
    let none = Tensor::<2, shape![B, N], E>::full(E::neg_infinity());
    none.scatter::<1, _, _>(&at, &values)
}

fn order<const AXIS: usize, const R: usize, S>(x: &Tensor<R, S>) -> PositionsOf<S, AXIS, S>
where
    S: Shape<R> + HasAxis<AXIS>,
{
    x.argsort::<AXIS>()
}

fn shuffled<const B: usize, D: Axis>(
    x: &Tensor<2, (Dim<B>, D)>,
    order: &Indices<1, shape![B], B>,
) -> Tensor<2, (Dim<B>, D)> {
    x.index_select::<0, _, _>(order)
}

fn main() {
    let scores = Tensor::from([[1.0f64, 5.0, 3.0]]);
    let low = f64::NEG_INFINITY;
    assert_eq!(keep_best(&scores).to_array(), [[low, 5.0, 3.0]]);
    let x = Tensor::from([[2.0, 1.0], [4.0, 3.0]]);
    let at: Indices<2, shape![2, 2], 2> = order::<0, 2, _>(&x);
    assert_eq!(at.to_array(), [[0, 0], [1, 1]]);
    let swap = Indices::from_array([1, 0]).unwrap();
    assert_eq!(shuffled(&x, &swap).to_array(), [[4.0, 3.0], [2.0, 1.0]]);
}
