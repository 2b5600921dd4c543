//! A flattened tensor has as many entries as the tensor had elements.
//!
//! The way out: write the product of the sizes. It is found by `cargo build`, not by `cargo check`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.flatten::<10>();
}
