//! An axis is padded that is there.
//!
//! The way out: count axes from 0.

use shapeproof::{Tensor, shape};

fn main() {
    let image = Tensor::<2, shape![28, 28]>::ones();
    let _ = image.pad::<2, 1, 1>(0.0);
}
