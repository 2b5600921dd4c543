//! `Tensor::from` makes a tensor of the array's own shape.
//!
//! The way out: leave the type out, or write the array's sizes.

use shapeproof::{Tensor, shape};

fn main() {
    let _: Tensor<2, shape![3, 2]> = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}
