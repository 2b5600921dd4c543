//! `squeeze` removes an axis that is there.
//!
//! The way out: axes are counted from 0.

use shapeproof::{Tensor, shape};

fn main() {
    let column = Tensor::<2, shape![3, 1]>::ones();
    let _ = column.squeeze::<2>();
}
