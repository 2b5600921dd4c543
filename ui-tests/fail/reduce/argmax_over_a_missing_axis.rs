//! Positions are found along one axis, which must be there.
//!
//! The way out: a vector has axis 0 alone.

use shapeproof::{Tensor, shape};

fn main() {
    let scores = Tensor::<1, shape![10]>::ones();
    let _ = scores.argmax_axis::<1>();
}
