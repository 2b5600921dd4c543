//! The axes before the matrix broadcast as in every other operation.
//!
//! The way out: give both operands as many matrices, or one of them a `One`.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<3, shape![8, 2, 4]>::ones();
    let b = Tensor::<3, shape![6, 4, 3]>::ones();
    let _ = a.matmul(&b);
}
