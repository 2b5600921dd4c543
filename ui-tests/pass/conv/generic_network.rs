//! Convolutions over any batch, any channels and any size of image, in a network of one's own.

use shapeproof::nn::Conv2d;
use shapeproof::prelude::*;
use shapeproof::shape::{Groups, Same, Slide};

/// Its input plus what two convolutions make of it.
struct Residual<const C: usize, E: Element> {
    first: Conv2d<C, C, 3, Same, E>,
    second: Conv2d<1, C, 3, Groups<C, Same>, E>,
}

impl<const C: usize, E: Element> Module<E> for Residual<C, E> {
    fields!(E: first, second);
}

impl<N: Axis, H: Axis, W: Axis, const C: usize, E: Element>
    Layer<Tensor<4, (N, Dim<C>, H, W), E>> for Residual<C, E>
{
    type Output = Tensor<4, (N, Dim<C>, H, W), E>;
    fn forward(&self, x: &Tensor<4, (N, Dim<C>, H, W), E>) -> Self::Output {
        x + self.second.forward(&self.first.forward(x).relu())
    }
}

fn halve<N: Axis, C: Axis, O: Axis, const S: usize, const HALF: usize>(
    x: &Tensor<4, (N, C, Dim<S>, Dim<S>)>,
    w: &Tensor<4, (O, C, Dim<3>, Dim<3>)>,
) -> Tensor<4, (N, O, Dim<HALF>, Dim<HALF>)> {
    x.conv2d_as(w, Slide::<2, 1>)
}

fn main() {
    let rng = &mut Rng::seed(0);
    let block = Residual::<4, f64> {
        first: Conv2d::new(rng),
        second: Conv2d::new(rng),
    };
    let x = Tensor::<4, shape![2, 4, 5, 1500], f64>::ones();
    assert_eq!(block.forward(&x).dims(), [2, 4, 5, 1500]);
    assert_eq!(block.parameter_count(), 4 * 4 * 9 + 4 + 4 * 9 + 4);

    let x = Tensor::<4, shape![1, 3, 2048, 2048]>::zeros();
    let y: Tensor<4, shape![1, 1, 1024, 1024]> = halve(&x, &Tensor::<4, shape![1, 3, 3, 3]>::ones());
    assert_eq!(y.sum().item(), 0.0);
}
