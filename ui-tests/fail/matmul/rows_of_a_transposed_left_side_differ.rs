//! `t_matmul` sums over the rows of both matrices: they have equally many.
//!
//! The way out: `matmul` if the left matrix is not to be transposed.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<2, shape![2, 4]>::ones();
    let b = Tensor::<2, shape![3, 4]>::ones();
    let _ = a.t_matmul(&b);
}
