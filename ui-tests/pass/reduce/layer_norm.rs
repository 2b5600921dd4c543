//! Layer normalisation over the last axis, generic over batch, width and element type.

use shapeproof::prelude::*;

fn layer_norm<B: Axis, const N: usize, E: Element>(
    x: &Tensor<2, (B, Dim<N>), E>,
    gain: &Param<1, shape![N], E>,
    bias: &Param<1, shape![N], E>,
) -> Tensor<2, (B, Dim<N>), E> {
    let centred = x - x.mean_keepdim::<1>();
    let variance = centred.square().mean_keepdim::<1>();
    centred * (variance + E::of(1e-5)).rsqrt() * gain + bias
}

fn main() {
    let x = Tensor::<2, shape![4, 6], f64>::randn(&mut Rng::seed(0));
    let y = layer_norm(&x, &Param::ones(), &Param::zeros());
    assert!(y.mean().item().abs() < 1e-12);
    assert!((y.std(0).item() - 1.0).abs() < 1e-3);
}
