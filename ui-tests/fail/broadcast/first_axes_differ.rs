//! Every pair of axes must fit, not the last one alone.
//!
//! The way out: give both operands the same size, or a `One` where one value serves all rows.

use shapeproof::{Tensor, shape};

fn main() {
    let batch = Tensor::<2, shape![32, 10]>::ones();
    let weights = Tensor::<2, shape![16, 10]>::ones();
    let _ = &batch * &weights;
}
