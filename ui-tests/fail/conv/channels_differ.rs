//! The weight of a convolution takes the channels that the input has.
//!
//! The way out: axis 1 of the weight is axis 1 of the input.

use shapeproof::shape::Same;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 3, 28, 28]>::zeros();
    let w = Tensor::<4, shape![8, 4, 5, 5]>::zeros();
    let _ = x.conv2d(&w, Same);
}
