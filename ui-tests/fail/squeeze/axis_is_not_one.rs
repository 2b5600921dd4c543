//! `squeeze` removes an axis of size 1.
//!
//! The way out: reduce the axis instead.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.squeeze::<1>();
}
