//! A permutation of three axes names 0, 1 and 2.
//!
//! The way out: count from 0.

use shapeproof::{Tensor, shape};

fn main() {
    let image = Tensor::<3, shape![28, 14, 3]>::ones();
    let _ = image.permute::<3, 1, 2>();
}
