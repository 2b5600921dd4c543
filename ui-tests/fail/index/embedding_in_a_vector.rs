//! An embedding looks up rows, so its table is a matrix.
//!
//! The way out: `index_select` picks entries of a tensor of any rank.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let table = Tensor::<1, shape![100]>::zeros();
    let tokens = Indices::<1, shape![4], 100>::from_vec(vec![0; 4]).unwrap();
    let _ = table.embedding(&tokens);
}
