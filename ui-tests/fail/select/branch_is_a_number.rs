//! `select` chooses between tensors.
//!
//! The way out: `&Tensor::scalar(0.0)`, which stretches.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = x.gt(0.0).select(&x, 0.0);
}
