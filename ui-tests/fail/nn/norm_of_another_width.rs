//! A layer norm is of as many features as the last axis of its input has.

use shapeproof::nn::LayerNorm;
use shapeproof::prelude::*;

fn main() {
    let norm = LayerNorm::<16>::new();
    let x = Tensor::<2, shape![8, 32]>::ones();
    let _ = norm.forward(&x);
}
