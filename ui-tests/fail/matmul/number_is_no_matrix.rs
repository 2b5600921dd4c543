//! A tensor without axes has no rows and no columns.
//!
//! The way out: `*` multiplies by a number.

use shapeproof::{Tensor, shape};

fn main() {
    let factor = Tensor::scalar(2.0);
    let a = Tensor::<2, shape![2, 4]>::ones();
    let _ = a.matmul(&factor);
}
