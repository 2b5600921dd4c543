//! The weight of a transposed convolution takes the channels that the input has.
//!
//! The way out: axis 0 of its weight is axis 1 of the input, and axis 1 of its weight the channels of the result.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 8, 14, 14]>::zeros();
    let w = Tensor::<4, shape![3, 8, 4, 4]>::zeros();
    let _ = x.conv_transpose2d(&w, Spread::<2, 1>);
}
