//! An axis is flipped that is there.
//!
//! The way out: a vector has axis 0 alone.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = x.flip::<1>();
}
