//! A parameter in an expression follows the same rule as a tensor.
//!
//! The way out: give the parameter the size of the axis that it meets.

use shapeproof::{Param, Tensor, shape};

fn main() {
    let bias = Param::<1, shape![12]>::zeros();
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _ = x + &bias;
}
