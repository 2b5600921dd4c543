//! A reshape keeps the number of elements.
//!
//! The way out: name a shape with as many. It is found by `cargo build`, not by `cargo check`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.reshape::<shape![2, 5]>();
}
