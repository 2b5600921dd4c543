//! A function of every size needs const parameters and nothing else.

use shapeproof::prelude::*;

fn centred<const B: usize, const N: usize>(x: &Tensor<2, shape![B, N]>) -> Tensor<2, shape![B, N]> {
    x - x.mean_keepdim::<1>()
}

fn standardised<const B: usize, const N: usize, E: Element>(
    x: &Tensor<2, shape![B, N], E>,
) -> Tensor<2, shape![B, N], E> {
    (x - x.mean_keepdim::<0>()) / (x.var_keepdim::<0>(0) + E::of(1e-5)).sqrt()
}

fn main() {
    let x = Tensor::from([[1.0, 3.0], [5.0, 7.0], [9.0, 17.0]]);
    assert_eq!(
        centred(&x).to_array(),
        [[-1.0, 1.0], [-1.0, 1.0], [-4.0, 4.0]]
    );
    assert!(standardised(&x).mean().item().abs() < 1e-6);
}
