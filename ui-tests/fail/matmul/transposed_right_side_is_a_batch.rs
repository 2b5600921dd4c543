//! `matmul_t` multiplies by the transpose of one matrix.
//!
//! The way out: `a.matmul(&b.t())` for a batch.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<3, shape![8, 2, 4]>::ones();
    let b = Tensor::<3, shape![8, 3, 4]>::ones();
    let _ = a.matmul_t(&b);
}
