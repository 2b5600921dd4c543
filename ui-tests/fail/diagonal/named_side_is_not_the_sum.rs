//! A vector beside the main diagonal makes a matrix with as many rows more as it stands beside it.
//!
//! The way out: 2000 entries 2 above the diagonal make a side of 2002.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![2000]>::ones();
    let _ = x.diag_above_as::<2, 2001>();
}
