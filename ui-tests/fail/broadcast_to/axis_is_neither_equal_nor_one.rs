//! An axis stretches if it is `One`; any other axis must equal the target's.
//!
//! The way out: ask for the size that the axis has.

use shapeproof::{Tensor, shape};

fn main() {
    let row = Tensor::<1, shape![3]>::ones();
    let _ = row.broadcast_to::<shape![2, 4]>();
}
