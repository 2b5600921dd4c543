//! Only an axis of size 1 can be made to stretch.
//!
//! The way out: `sum_keepdim` reduces the axis to one that stretches.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.stretch::<1>();
}
