//! Two const parameters are two widths, whatever they turn out to be.
//!
//! The way out: use one parameter for the width that both share.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Tensor, shape};

fn apply<const I: usize, const O: usize>(layer: &Linear<I, O>, x: &Tensor<1, shape![O]>) {
    let _ = layer.forward(x);
}

fn main() {}
