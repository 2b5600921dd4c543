//! How a kernel slides is a type, so that the size of the result is one.
//!
//! The way out: `Slide::<2>`, with padding `Slide::<2, 1>`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 3, 28, 28]>::zeros();
    let w = Tensor::<4, shape![8, 3, 5, 5]>::zeros();
    let _ = x.conv2d(&w, 2);
}
