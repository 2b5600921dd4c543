//! A vector on the left is a row: it is as long as the matrix has rows.
//!
//! The way out: `matmul_t` if the vector is as long as the rows.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::ones();
    let a = Tensor::<2, shape![5, 4]>::ones();
    let _ = x.matmul(&a);
}
