//! A permutation names each axis once.
//!
//! The way out: name the axis that is missing.

use shapeproof::{Tensor, shape};

fn main() {
    let image = Tensor::<3, shape![28, 14, 3]>::ones();
    let _ = image.permute::<1, 1, 0>();
}
