//! A layer norm has a weight for each entry of the last axis of its input.
//!
//! The way out: the layer's number is the size of that axis.

use shapeproof::nn::{Layer, LayerNorm};
use shapeproof::{Tensor, shape};

fn main() {
    let norm = LayerNorm::<16>::new();
    let x = Tensor::<2, shape![8, 32]>::ones();
    let _ = norm.forward(&x);
}
