//! Entries are cut out of an axis that is there.
//!
//! The way out: count axes from 0.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.narrow::<2, 0, 1>();
}
