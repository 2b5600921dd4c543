//! A transposed convolution spreads, it does not slide: its numbers are stride, padding, output padding, dilation.
//!
//! The way out: `Spread::<2, 1>` undoes `Slide::<2, 1>`.

use shapeproof::shape::Slide;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![32, 8, 14]>::zeros();
    let w = Tensor::<3, shape![8, 3, 5]>::zeros();
    let _: Tensor<3, shape![32, 3, 29]> = x.conv_transpose1d_as(&w, Slide::<2, 1>);
}
