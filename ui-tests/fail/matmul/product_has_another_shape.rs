//! A product has the rows of its left and the columns of its right operand.
//!
//! The way out: leave the type out, or write the one that the error names.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<2, shape![2, 4]>::ones();
    let b = Tensor::<2, shape![4, 3]>::ones();
    let _: Tensor<2, shape![2, 4]> = a.matmul(&b);
}
