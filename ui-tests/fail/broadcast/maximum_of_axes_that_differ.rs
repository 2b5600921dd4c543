//! Methods that take a second tensor broadcast by the same rule as operators.
//!
//! The way out: give both operands the same size along the axis that the error names.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let floor = Tensor::<1, shape![4]>::zeros();
    let _ = x.maximum(&floor);
}
