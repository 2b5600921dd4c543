//! A function is mapped over the first axis of its inputs, so they have one.
//!
//! The way out: capture the number instead of passing it.

use shapeproof::autograd::vmap;
use shapeproof::prelude::*;

fn main() {
    let loss = Tensor::scalar(1.0);
    vmap(|x| x * 2.0, &loss);
}
