//! What is added to a parameter, or taken from it, stretches to the parameter's shape.
//!
//! The way out: a step of the parameter's own shape, such as its gradient.

use shapeproof::{Param, Tensor, shape};

fn main() {
    let mut weights = Param::<1, shape![10]>::zeros();
    weights -= Tensor::<1, shape![11]>::ones();
}
