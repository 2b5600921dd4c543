//! Masks are combined element by element and do not broadcast.
//!
//! The way out: `broadcast_to` makes them one shape.

use shapeproof::{Tensor, shape};

fn main() {
    let rows = Tensor::<2, shape![2, 3]>::ones().gt(0.0);
    let row = Tensor::<1, shape![3]>::ones().gt(0.0);
    let _ = rows & row;
}
