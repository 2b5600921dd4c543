//! The slopes of `prelu` stretch to what they are applied to.
//!
//! The way out: one slope, or one for each channel: `shape![C, 1, 1]` for images of C channels.

use shapeproof::{Tensor, shape};

fn main() {
    let images = Tensor::<3, shape![3, 8, 8]>::ones();
    let slopes = Tensor::<1, shape![3]>::full(0.25);
    let _ = images.prelu(&slopes);
}
