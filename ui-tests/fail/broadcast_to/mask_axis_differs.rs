//! Masks stretch as tensors do.
//!
//! The way out: ask for the size that the axis has.

use shapeproof::{Tensor, shape};

fn main() {
    let positive = Tensor::<1, shape![3]>::ones().gt(0.0);
    let _ = positive.broadcast_to::<shape![2, 4]>();
}
