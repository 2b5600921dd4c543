//! A range of numbers lies along one axis.
//!
//! The way out: `reshape` arranges it.

use shapeproof::{Tensor, shape};

fn main() {
    let _ = Tensor::<2, shape![2, 3]>::arange(0.0, 1.0);
}
