//! Sizes up to 2047 are computed by the compiler.
//!
//! The way out: `conv1d_as`, and the type that is wanted.

use shapeproof::shape::Valid;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 2, 40_000]>::zeros();
    let w = Tensor::<3, shape![3, 2, 9]>::zeros();
    let _ = x.conv1d(&w, Valid);
}
