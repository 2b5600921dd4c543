//! A matrix takes a vector as long as its rows.
//!
//! The way out: `a.t()` if the vector is as long as the columns.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<2, shape![5, 4]>::ones();
    let x = Tensor::<1, shape![5]>::ones();
    let _ = a.matmul(&x);
}
