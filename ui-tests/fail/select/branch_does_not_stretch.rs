//! What `select` chooses from has the shape of the mask, or stretches to it.
//!
//! The way out: give it the size that the mask has.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let other = Tensor::<1, shape![4]>::zeros();
    let _ = x.gt(0.0).select(&x, &other);
}
