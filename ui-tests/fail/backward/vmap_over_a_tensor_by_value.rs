//! A function is mapped over references.
//!
//! The way out: `&images`.

use shapeproof::autograd::vmap;
use shapeproof::prelude::*;

fn main() {
    let images = Tensor::<2, shape![32, 784]>::zeros();
    vmap(|x| x.square(), images);
}
