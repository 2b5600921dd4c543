//! An entry is selected from those that are there.
//!
//! The way out: the last of 10 entries is entry 9.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _ = x.select::<1, 10>();
}
