//! A permutation names every axis.
//!
//! The way out: `transpose::<0, 1>()` exchanges two axes and leaves the others.

use shapeproof::{Tensor, shape};

fn main() {
    let image = Tensor::<3, shape![28, 14, 3]>::ones();
    let _ = image.permute::<1, 0>();
}
