//! A transposed convolution cuts its padding off, and leaves one entry at least.
//!
//! The way out: less padding.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 6, 3000]>::zeros();
    let w = Tensor::<3, shape![6, 2, 3]>::zeros();
    let _: Tensor<3, shape![1, 2, 0]> = x.conv_transpose1d_as(&w, Spread::<1, 1501>);
}
