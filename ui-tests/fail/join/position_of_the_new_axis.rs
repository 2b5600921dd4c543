//! A new axis has a place before, between or after the others.
//!
//! The way out: a vector takes a new axis at 0 or 1.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = (&x, &x).stack::<2>();
}
