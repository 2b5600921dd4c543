//! Two const parameters are two sizes, whatever they turn out to be.
//!
//! The way out: use one parameter for both if they are meant to be equal.

use shapeproof::{Tensor, shape};

fn add<const M: usize, const N: usize>(x: Tensor<1, shape![M]>, y: Tensor<1, shape![N]>) {
    let _ = x + y;
}

fn main() {
    add::<3, 3>(Tensor::ones(), Tensor::ones());
}
