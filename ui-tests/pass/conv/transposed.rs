//! Transposed convolutions over any batch and any channels, known sizes and named ones.

use shapeproof::nn::ConvTranspose2d;
use shapeproof::prelude::*;
use shapeproof::shape::{Groups, Slide, Spread};

/// Sizes that the compiler knows follow; the batch and the channels stay open.
fn enlarge<N: Axis, C: Axis, O: Axis, E: Element>(
    x: &Tensor<4, (N, C, Dim<7>, Dim<14>), E>,
    w: &Tensor<4, (C, O, Dim<4>, Dim<3>), E>,
) -> Tensor<4, (N, O, Dim<14>, Dim<28>), E> {
    x.conv_transpose2d(w, (Spread::<2, 1>, Spread::<2, 1, 1>))
}

/// Sizes that are open are named.
fn back<N: Axis, L: Axis, M: Axis, const S: usize>(
    x: &Tensor<3, (N, Dim<6>, L)>,
    w: &Tensor<3, shape![6, 2, 5]>,
) -> Tensor<3, (N, Dim<4>, M)> {
    x.conv_transpose1d_as(w, Groups::<2, _>(Spread::<S, 2>))
}

/// A layer in groups, of any number of channels that the compiler can count.
fn widen<N: Axis, E: Element>(
    layer: &ConvTranspose2d<6, 5, 4, Groups<2, Spread<2, 1>>, E>,
    x: &Tensor<4, (N, Dim<6>, Dim<7>, Dim<7>), E>,
) -> Tensor<4, (N, Dim<10>, Dim<14>, Dim<14>), E> {
    layer.forward(x)
}

/// A convolution and the transposed one with the same numbers undo each other's sizes.
fn there_and_back<N: Axis, C: Axis, L: Axis, Less: Axis>(
    x: &Tensor<3, (N, C, L)>,
    w: &Tensor<3, (Dim<2>, C, Dim<3>)>,
) -> Tensor<3, (N, C, L)> {
    let y: Tensor<3, (N, Dim<2>, Less)> = x.conv1d_as(w, Slide::<2, 1>);
    y.conv_transpose1d_as(w, Spread::<2, 1>)
}

fn main() {
    let x = Tensor::<4, shape![5, 8, 7, 14], f64>::ones();
    assert_eq!(enlarge(&x, &Tensor::<4, shape![8, 1, 4, 3], f64>::ones()).dims(), [5, 1, 14, 28]);

    let layer = ConvTranspose2d::new(&mut Rng::seed(0));
    assert_eq!(widen(&layer, &Tensor::<4, shape![5, 6, 7, 7]>::ones()).dims(), [5, 10, 14, 14]);

    let x = Tensor::<3, shape![1, 6, 3000]>::ones();
    let y: Tensor<3, shape![1, 4, 8998]> = back::<_, _, _, 3>(&x, &Tensor::ones());
    assert_eq!(y[[0, 3, 4]], 6.0);

    let x = Tensor::<3, shape![2, 1, 9]>::ones();
    let y = there_and_back::<_, _, _, Dim<5>>(&x, &Tensor::ones());
    assert_eq!(y.dims(), [2, 1, 9]);
}
