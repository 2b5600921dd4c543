//! A matrix has a diagonal.
//!
//! The way out: `unsqueeze` makes a row or a column of a vector.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::ones();
    let _ = x.diagonal();
}
