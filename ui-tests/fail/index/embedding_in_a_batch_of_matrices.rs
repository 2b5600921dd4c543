//! An embedding looks up rows, so its table is one matrix.
//!
//! The way out: `index_select` picks entries along any axis.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let tables = Tensor::<3, shape![8, 100, 16]>::zeros();
    let tokens = Indices::<1, shape![4], 100>::from_vec(vec![0; 4]).unwrap();
    let _ = tables.embedding(&tokens);
}
