//! Fused expressions in functions that are generic over sizes and elements need no bounds beyond `Element`.
use shapeproof::element::Element;
use shapeproof::fusion::fuse;
use shapeproof::{Param, Tensor, shape};

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

fn main() {
    let x = Tensor::<2, shape![4, 3]>::ones();
    let y = normalised(
        &x,
        &Tensor::zeros(),
        &Tensor::ones(),
        &Param::new(Tensor::ones()),
    );
    y.sum().backward();
}
