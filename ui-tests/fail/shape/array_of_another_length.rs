//! `from_array` takes a nested array of this very shape.
//!
//! The way out: as many numbers as the axis has entries.

use shapeproof::{Tensor, shape};

fn main() {
    let _ = Tensor::<2, shape![2, 3]>::from_array([[1.0, 2.0], [3.0, 4.0]]);
}
