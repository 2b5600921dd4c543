//! The row that stands for padding is a row of the table.
//!
//! The way out: rows are counted from 0, so the last of 100 is row 99.

use shapeproof::{Embeds, Indices, Tensor, shape};

fn main() {
    let table = Tensor::<2, shape![100, 8]>::zeros();
    let tokens = Indices::<1, shape![4], 100>::from_vec(vec![0; 4]).unwrap();
    let _ = table.embedding_padded::<100>(&tokens);
}
