//! Images of any size are pooled, enlarged and reduced: sizes are parameters, named, or follow from the type.

use shapeproof::prelude::*;
use shapeproof::shape::{Ceil, Pool};

fn pyramid<N: Axis, C: Axis, H: Axis, W: Axis, const HALF: usize, E: Element>(
    x: &Tensor<4, (N, C, H, W), E>,
) -> Tensor<4, (N, C, Dim<HALF>, Dim<HALF>), E> {
    let means: Tensor<4, (N, C, Dim<HALF>, Dim<HALF>), E> = x.adaptive_avg_pool2d();
    let near = x.upsample_nearest2d::<HALF, HALF>();
    let smooth = x.upsample_bilinear2d::<HALF, HALF>() + x.upsample_bilinear2d_corners();
    means + near + smooth
}

fn halved<N: Axis, C: Axis, const L: usize, const M: usize, E: Element>(
    x: &Tensor<3, (N, C, Dim<L>), E>,
) -> (Tensor<3, (N, C, Dim<M>), E>, Indices<3, (N, C, Dim<M>), L>) {
    let means: Tensor<3, (N, C, Dim<M>), E> = x.avg_pool1d_as(Pool::<2>);
    let largest: Tensor<3, (N, C, Dim<M>), E> = x.max_pool1d_as(Pool::<2>);
    let (same, at) = x.max_pool1d_with_indices_as::<_, Dim<M>>(Pool::<2>);
    (means + largest - same, at)
}

fn quartered<N: Axis, C: Axis, H: Axis, W: Axis, OH: Axis, OW: Axis>(
    x: &Tensor<4, (N, C, H, W)>,
) -> Tensor<4, (N, C, OH, OW)> {
    let means: Tensor<4, (N, C, OH, OW)> = x.avg_pool2d_as(Ceil(Pool::<2>));
    let largest: Tensor<4, (N, C, OH, OW)> = x.max_pool2d_as(Ceil(Pool::<2>));
    let (same, _, _) = x.max_pool2d_with_indices_as::<_, OH, OW>(Ceil(Pool::<2>));
    means + largest - same
}

fn vector<N: Axis, C: Axis, H: Axis, W: Axis, E: Element>(x: &Tensor<4, (N, C, H, W), E>) -> Tensor<2, (N, C), E> {
    x.global_avg_pool2d() + x.global_max_pool2d()
}

fn main() {
    let x = Tensor::<4, shape![2, 3, 5, 4], f64>::ones();
    assert_eq!(pyramid::<_, _, _, _, 2, _>(&x), Tensor::full(4.0));
    assert_eq!(vector(&x), Tensor::full(2.0));
    let (y, at) = halved::<_, _, 6000, 3000, _>(&Tensor::<3, shape![1, 1, 6000]>::ones());
    assert_eq!((y.sum().item(), at.as_slice()[2999]), (3000.0, 5998));
    let z: Tensor<4, shape![1, 1, 3, 2001]> = quartered(&Tensor::<4, shape![1, 1, 5, 4001]>::ones());
    assert_eq!(z, Tensor::ones());
}
