//! The output padding of a transposed convolution is smaller than its stride or its dilation.
//!
//! The way out: a smaller output padding. It says which of several sizes is meant that a convolution with this stride
//! makes the same of.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 8, 14, 14]>::zeros();
    let w = Tensor::<4, shape![8, 3, 5, 5]>::zeros();
    let _ = x.conv_transpose2d(&w, Spread::<2, 1, 3>);
}
