//! A gradient has the shape of its parameter, however often forward stretched it.
//!
//! The way out: write the parameter's shape.

use shapeproof::{Param, Tensor, shape};

fn main() {
    let bias = Param::<1, shape![10]>::zeros();
    (Tensor::<2, shape![32, 10]>::ones() + &bias)
        .sum()
        .backward();
    let _: Tensor<2, shape![32, 10]> = bias.grad().unwrap();
}
