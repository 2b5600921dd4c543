//! Lookups take whole numbers that are proven to be below a bound.
//!
//! The way out: `Indices::from_array` checks them once.

use shapeproof::{Tensor, shape};

fn main() {
    let table = Tensor::<2, shape![100, 16]>::zeros();
    let _ = table.embedding(&[7, 15, 3]);
}
