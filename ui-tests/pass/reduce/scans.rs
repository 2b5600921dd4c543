//! Running sums, products and extremes along an axis that the caller names, and norms of any element type.

use shapeproof::prelude::*;
use shapeproof::shape::{HasAxis, PositionsOf};

fn share<const AXIS: usize, const R: usize, S, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E>
where
    S: Shape<R> + HasAxis<AXIS>,
{
    x.cumsum::<AXIS>() + x.cumprod::<AXIS>() + x.logcumsumexp::<AXIS>()
}

fn record<const AXIS: usize, const R: usize, S>(x: &Tensor<R, S>) -> PositionsOf<S, AXIS, S>
where
    S: Shape<R> + HasAxis<AXIS>,
{
    x.cummax::<AXIS>().1
}

fn unit<const B: usize, const N: usize, E: Element>(
    x: &Tensor<2, shape![B, N], E>,
) -> Tensor<2, shape![B, N], E> {
    x / x.norm_keepdim::<1>(E::of(2.0))
}

fn main() {
    let x = Tensor::from([[3.0f64, 4.0]]);
    assert_eq!(share::<1, 2, _, _>(&x).dims(), [1, 2]);
    assert_eq!(unit(&x).to_array(), [[0.6, 0.8]]);
    let at: Indices<1, shape![3], 3> = record::<0, 1, _>(&Tensor::from([2.0, 1.0, 5.0]));
    assert_eq!(at.to_array(), [0, 0, 2]);
}
