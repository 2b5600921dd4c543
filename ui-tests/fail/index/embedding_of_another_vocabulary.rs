//! Indices below 200 may point past the end of a table of 100 rows.
//!
//! The way out: the bound of the indices is the number of rows.

use shapeproof::{Indices, Param, shape};

fn main() {
    let table = Param::<2, shape![100, 16]>::zeros();
    let tokens = Indices::<1, shape![3], 200>::from_array([7, 150, 3]).unwrap();
    let _ = table.embedding(&tokens);
}
