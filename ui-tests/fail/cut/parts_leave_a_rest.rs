//! Parts add up to the axis that is split.
//!
//! The way out: name a part for the rest.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 10]>::ones();
    let _ = x.split::<1, shape![4, 5]>();
}
