//! Axes trade places, in generic code too.

use shapeproof::prelude::*;

fn channels_first<H: Axis, W: Axis, C: Axis>(image: &Tensor<3, (H, W, C)>) -> Tensor<3, (C, H, W)> {
    image.permute::<2, 0, 1>()
}

fn split_heads<const B: usize, const T: usize, const H: usize, const D: usize>(
    x: &Tensor<4, shape![B, T, H, D]>,
) -> Tensor<4, shape![B, H, T, D]> {
    x.transpose::<1, 2>()
}

fn main() {
    assert_eq!(
        channels_first(&Tensor::<3, shape![28, 14, 3]>::ones()).dims(),
        [3, 28, 14]
    );
    assert_eq!(
        split_heads(&Tensor::<4, shape![2, 16, 4, 8]>::ones()).dims(),
        [2, 4, 16, 8]
    );
    assert_eq!(Tensor::<2, shape![3, 4]>::ones().t().dims(), [4, 3]);
}
