//! A norm states its power, and the power is a number of the element type.
//!
//! The way out: `norm(2.0)` is the Euclidean length.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _ = x.norm_axis::<1>();
}
