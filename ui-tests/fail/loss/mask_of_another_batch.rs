//! A mask says of each row whether its two tensors should be alike.
//!
//! The way out: one truth value for each row.

use shapeproof::{Mask, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 64]>::ones();
    let same = Mask::<1, shape![3]>::from_array([true, false, true]);
    let _ = x.cosine_embedding(&x, &same, 0.5);
}
