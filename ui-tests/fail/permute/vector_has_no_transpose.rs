//! A vector has one axis: nothing trades places.
//!
//! The way out: `unsqueeze::<0>()` makes a row of it, `unsqueeze::<1>()` a column.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::ones();
    let _ = x.t();
}
