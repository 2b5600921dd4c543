//! A diagonal starts within its matrix.
//!
//! The way out: 4 columns have diagonals up to 3 above the main one.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.diagonal_above::<5>();
}
