//! Fused expressions in functions that are generic over sizes and elements need no bounds beyond `Element`.
use shapeproof::element::Element;
use shapeproof::fusion::fuse;
use shapeproof::{Param, Shape, Tensor, shape};

fn normalised<const N: usize, const C: usize, E: Element>(
    x: &Tensor<2, shape![N, C], E>,
    mean: &Tensor<1, shape![C], E>,
    spread: &Tensor<2, shape![N, 1], E>,
    scale: &Param<1, shape![C], E>,
) -> Tensor<2, shape![N, C], E> {
    let eps = 1e-5;
    fuse((x, mean, spread, scale), |(x, mean, spread, scale)| {
        (x - mean) / (spread + eps).sqrt() * scale
    })
}

fn scaled<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>, by: E) -> Tensor<R, S, E> {
    fuse((x, &Tensor::scalar(by)), |(x, by)| 1.0 - (x * by).tanh() * 0.5)
}

fn main() {
    assert_eq!(scaled(&Tensor::<1, shape![3]>::zeros(), 2.0).to_array(), [1.0; 3]);
    let x = Tensor::<2, shape![4, 3]>::ones();
    let y = normalised(
        &x,
        &Tensor::zeros(),
        &Tensor::ones(),
        &Param::new(Tensor::ones()),
    );
    y.sum().backward();
}
