//! The mask itself does not stretch.
//!
//! The way out: `mask.broadcast_to::<shape![2, 3]>()`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let mask = Tensor::<1, shape![3]>::ones().gt(0.0);
    let _ = mask.select(&x, &Tensor::scalar(0.0));
}
