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
    none.scatter::<1>(&at, &values)
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
    x.index_select::<0>(order)
}

/// Means of the points of each cluster.
fn centres<const N: usize, const K: usize, D: Axis, E: Element>(
    points: &Tensor<2, (Dim<N>, D), E>,
    clusters: &Indices<1, shape![N], K>,
) -> Tensor<2, (Dim<K>, D), E> {
    let sums = Tensor::<2, (Dim<K>, D), E>::zeros().index_add::<0>(clusters, points);
    let counts = clusters.bincount::<E>().clamp_min(E::one());
    sums / counts.unsqueeze::<1>()
}

fn main() {
    let scores = Tensor::from([[1.0f64, 5.0, 3.0]]);
    let low = f64::NEG_INFINITY;
    assert_eq!(keep_best(&scores).to_array(), [[low, 5.0, 3.0]]);
    let x = Tensor::from([[2.0, 1.0], [4.0, 3.0]]);
    let at: Indices<2, shape![2, 2], 2> = order::<0, 2, _>(&x);
    assert_eq!(at.to_array(), [[0, 0], [1, 1]]);
    let clusters = Indices::<1, _, 1>::from_array([0, 0]).unwrap();
    assert_eq!(centres(&x, &clusters).to_array(), [[3.0, 2.0]]);
    let swap = Indices::from_array([1, 0]).unwrap();
    assert_eq!(shuffled(&x, &swap).to_array(), [[4.0, 3.0], [2.0, 1.0]]);
}
