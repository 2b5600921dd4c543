//! Pooling with sizes rounded down and up, over any batch and any channels; sizes that are open are named.

use shapeproof::prelude::*;
use shapeproof::shape::{Ceil, Inside, Pool};

fn stem<N: Axis, C: Axis, E: Element>(
    x: &Tensor<4, (N, C, Dim<112>, Dim<113>), E>,
) -> Tensor<4, (N, C, Dim<56>, Dim<57>), E> {
    x.max_pool2d((Ceil(Pool::<3, 2>), Pool::<3, 2, 1>))
}

fn halve<N: Axis, C: Axis, L: Axis, Half: Axis>(
    x: &Tensor<3, (N, C, L)>,
) -> Tensor<3, (N, C, Half)> {
    let mean: Tensor<3, (N, C, Half)> = x.avg_pool1d_as(Inside(Ceil(Pool::<2>)));
    let same: Tensor<3, (N, C, Half)> = x.avg_pool1d_as(Ceil(Inside(Pool::<2>)));
    mean + same
}

fn main() {
    assert_eq!(stem(&Tensor::<4, shape![5, 1, 112, 113], f64>::ones()).dims(), [5, 1, 56, 57]);
    let y: Tensor<3, shape![2, 1, 1501]> = halve(&Tensor::<3, shape![2, 1, 3001]>::ones());
    assert_eq!(y.sum().item(), 6004.0);
}
