//! Sizes are halved in types up to 2046.
//!
//! The way out: `glu_as::<1, Dim<2048>>` names the half, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![4, 4096]>::ones();
    let _ = x.glu::<1>();
}
