//! An array is nested as deep as the shape has axes.
//!
//! The way out: one more pair of brackets.

use shapeproof::{Tensor, shape};

fn main() {
    let _ = Tensor::<2, shape![1, 3]>::from_array([1.0, 2.0, 3.0]);
}
