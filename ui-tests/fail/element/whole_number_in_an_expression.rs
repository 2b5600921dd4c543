//! Elements are floating-point numbers, and so is a number that meets them.
//!
//! The way out: `x + 1.0`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = x + 1;
}
