//! Elements are `f32` or `f64`, and so are the numbers of an array.
//!
//! The way out: `1.0` instead of `1`.

use shapeproof::Tensor;

fn main() {
    let _ = Tensor::from([1, 2, 3]);
}
