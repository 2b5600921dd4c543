//! A mapped function returns a tensor for each example.
//!
//! The way out: `x.sum()`, and read what `vmap` returns.

use shapeproof::autograd::vmap;
use shapeproof::prelude::*;

fn main() {
    let images = Tensor::<2, shape![32, 784]>::zeros();
    let sums: Vec<f32> = vmap(|x| x.sum().item(), &images);
}
