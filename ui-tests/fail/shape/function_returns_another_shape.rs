//! A function returns the shape that it promises.
//!
//! The way out: promise what is computed, here `Tensor<2, shape![4, 3]>`.

use shapeproof::{Tensor, shape};

fn transposed(x: &Tensor<2, shape![3, 4]>) -> Tensor<2, shape![3, 4]> {
    x.t()
}

fn main() {
    transposed(&Tensor::ones());
}
