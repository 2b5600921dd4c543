//! A diagonal beside the main one is as long as the matrix lets it be.
//!
//! The way out: 1999 rows below the main diagonal 1 is left.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2000, 3]>::ones();
    let _ = x.diagonal_below_as::<1999, 3>();
}
