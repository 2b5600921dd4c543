//! All rows of a matrix are equally long.
//!
//! The way out: pad the short one.

use shapeproof::Tensor;

fn main() {
    let _ = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0]]);
}
