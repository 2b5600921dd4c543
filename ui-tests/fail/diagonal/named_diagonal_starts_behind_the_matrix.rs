//! A diagonal starts within its matrix, also where its size is named.
//!
//! The way out: 2000 columns have diagonals up to 1999 above the main one.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 2000]>::ones();
    let _ = x.diagonal_above_as::<2001, 3>();
}
