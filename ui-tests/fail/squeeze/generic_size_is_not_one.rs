//! A const parameter may be any size, so its axis cannot go.
//!
//! The way out: take `One` where the size is always 1.

use shapeproof::{Tensor, shape};

fn first<const B: usize, const N: usize>(x: &Tensor<2, shape![B, N]>) -> Tensor<1, shape![B]> {
    x.squeeze::<1>()
}

fn main() {
    first::<3, 1>(&Tensor::ones());
}
