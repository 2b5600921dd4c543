//! An element of a matrix has a row and a column.
//!
//! The way out: `x[[0, 1]]`, as many numbers as the tensor has axes.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::zeros();
    let _ = x[[0, 1, 2]];
}
