//! A kernel is no larger than the axis that it slides along and its padding at both ends.
//!
//! The way out: more padding, a smaller kernel, or `Same`.

use shapeproof::shape::Slide;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![1, 3, 28, 4]>::zeros();
    let w = Tensor::<4, shape![8, 3, 7, 7]>::zeros();
    let _ = x.conv2d(&w, Slide::<1, 1>);
}
