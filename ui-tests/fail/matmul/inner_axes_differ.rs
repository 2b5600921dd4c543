//! The columns of the left matrix meet the rows of the right one.
//!
//! The way out: `t()` transposes a matrix that lies the other way, `matmul_t` multiplies by its transpose.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<2, shape![2, 4]>::ones();
    let b = Tensor::<2, shape![5, 3]>::ones();
    let _ = a.matmul(&b);
}
