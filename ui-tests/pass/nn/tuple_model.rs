//! A tuple of layers is a layer and a module; one model takes batches of any size.

use shapeproof::nn::{Gelu, LayerNorm, Tanh};
use shapeproof::prelude::*;

fn main() {
    let rng = &mut Rng::seed(0);
    let block = (LayerNorm::<8>::new(), Linear::<8, 8>::new(rng), Gelu);
    let model = (
        Linear::<2, 8>::new(rng),
        Tanh,
        block,
        Linear::<8, 1>::new(rng),
    );
    let _: Tensor<2, shape![4, 1]> = model
        .forward(&Tensor::<2, shape![4, 2]>::ones())
        .stretch::<1>();
    let _: Tensor<1, (Dim<1>,)> = model.forward(&Tensor::<1, shape![2]>::ones());
    assert_eq!(model.parameter_names()[4], "2.1.weight");
}
