//! A new axis goes before one that is there, or after the last.
//!
//! The way out: a vector takes it at 0 or 1.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::ones();
    let _ = x.unsqueeze::<2>();
}
