//! A layer of `f32` takes tensors of `f32`.
//!
//! The way out: `cast::<f32>()`, or a layer `Linear::<4, 2, f64>`.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let layer = Linear::<4, 2>::new(&mut Rng::seed(0));
    let x = Tensor::<2, shape![8, 4], f64>::ones();
    let _ = layer.forward(&x);
}
