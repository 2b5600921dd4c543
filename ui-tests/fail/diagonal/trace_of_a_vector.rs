//! A trace needs a matrix.
//!
//! The way out: `diag` makes a matrix of a vector, `sum` adds up its elements.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = x.trace();
}
