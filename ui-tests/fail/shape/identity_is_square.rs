//! An identity matrix has as many rows as columns.
//!
//! The way out: write one size twice.

use shapeproof::{Tensor, shape};

fn main() {
    let _ = Tensor::<2, shape![2, 3]>::eye();
}
