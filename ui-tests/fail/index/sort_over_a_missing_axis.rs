//! Entries are sorted along one axis, which must be there.
//!
//! The way out: the last axis of a matrix is axis 1.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _ = x.sort::<2>();
}
