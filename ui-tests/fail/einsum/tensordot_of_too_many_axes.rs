//! The result has the other axes of both operands, six at most.
//!
//! The way out: `einsum!` sums over several axes at once.

use shapeproof::{Tensor, Tensordot, shape};

fn main() {
    let x = Tensor::<5, shape![2, 2, 2, 2, 3]>::ones();
    let y = Tensor::<4, shape![3, 2, 2, 2]>::ones();
    let _ = x.tensordot::<4, 0>(&y);
}
