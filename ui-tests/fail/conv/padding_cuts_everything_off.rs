//! The padding of a transposed convolution is cut off at both ends, and something is left.
//!
//! The way out: less padding, or a larger kernel.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![32, 8, 6]>::zeros();
    let w = Tensor::<3, shape![8, 3, 5]>::zeros();
    let _ = x.conv_transpose1d(&w, Spread::<1, 7>);
}
