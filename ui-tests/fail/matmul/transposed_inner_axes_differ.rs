//! `matmul_t` multiplies by the transpose: the last axes of both operands meet.
//!
//! The way out: `matmul` if the right matrix lies the other way.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 4]>::ones();
    let w = Tensor::<2, shape![4, 3]>::ones();
    let _ = x.matmul_t(&w);
}
