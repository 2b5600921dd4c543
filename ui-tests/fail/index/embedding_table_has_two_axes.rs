//! A table of embeddings has rows: it is a matrix.
//!
//! The way out: `gather` picks entries along an axis of any tensor.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let table = Tensor::<1, shape![100]>::zeros();
    let tokens = Indices::<1, shape![3], 100>::from_array([7, 15, 3]).unwrap();
    let _ = table.embedding(&tokens);
}
