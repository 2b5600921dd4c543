//! A layer takes inputs of its own width.
//!
//! The way out: the last axis of the input is the layer's first number.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let layer = Linear::<784, 10>::new(&mut Rng::seed(0));
    let x = Tensor::<2, shape![32, 748]>::ones();
    let _ = layer.forward(&x);
}
