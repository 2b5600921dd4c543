//! The trace is the sum of the diagonal of a square matrix.
//!
//! The way out: `t_matmul` of a matrix with itself is square.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.trace();
}
