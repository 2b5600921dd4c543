//! A diagonal starts within its matrix.
//!
//! The way out: 3 rows have diagonals up to 2 below the main one.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.diagonal_below::<4>();
}
