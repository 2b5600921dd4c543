//! A function is mapped over inputs whose first axes are equal.
//!
//! The way out: cut the inputs to the same number of examples; capture what all of them share.

use shapeproof::autograd::vmap;
use shapeproof::prelude::*;

fn main() {
    let images = Tensor::<2, shape![32, 784]>::zeros();
    let targets = Tensor::<2, shape![31, 10]>::zeros();
    let weight = Tensor::<2, shape![10, 784]>::zeros();
    vmap(|(x, y)| weight.matmul(&x).mse(&y), (&images, &targets));
}
