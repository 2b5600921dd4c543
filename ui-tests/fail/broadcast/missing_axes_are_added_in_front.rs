//! Shapes are aligned at their last axis: one value a row does not line up with the columns.
//!
//! The way out: `unsqueeze::<1>()` turns the vector into a column.

use shapeproof::{Tensor, shape};

fn main() {
    let table = Tensor::<2, shape![32, 10]>::ones();
    let one_a_row = Tensor::<1, shape![32]>::ones();
    let _ = table + one_a_row;
}
