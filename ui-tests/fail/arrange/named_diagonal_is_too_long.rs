//! A diagonal is as long as the shorter side.
//!
//! The way out: name that size.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2000, 3000]>::ones();
    let _ = x.diagonal_as::<3000>();
}
