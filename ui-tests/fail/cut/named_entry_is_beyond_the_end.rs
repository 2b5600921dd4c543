//! An entry is selected from those that are there, however many.
//!
//! The way out: the last of 60000 entries is entry 59999.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![60000]>::ones();
    let _ = x.select_as::<0, 60000>();
}
