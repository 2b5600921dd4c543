//! The rule is the same whichever operand has fewer axes.
//!
//! The way out: make the vector as long as the rows of the matrix.

use shapeproof::{Tensor, shape};

fn main() {
    let offset = Tensor::<1, shape![12]>::ones();
    let table = Tensor::<2, shape![32, 10]>::ones();
    let _ = offset - table;
}
