//! Each label of the result is one of an operand's.
//!
//! The way out: `broadcast_to` adds axes along which values repeat.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let _: Tensor<2, shape![2, 4]> = einsum!(<i, j, k> (i, j) -> (i, k); x);
}
