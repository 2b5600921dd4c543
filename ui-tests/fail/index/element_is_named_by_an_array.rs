//! An element is named by an array of positions, one for each axis.
//!
//! The way out: `x[[2]]` for a vector; `as_slice` and `to_array` give plain Rust.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::zeros();
    let _ = x[2];
}
