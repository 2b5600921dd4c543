//! A label that two operands share is one axis, of one size.
//!
//! The way out: another label if the axes are not the same.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let y = Tensor::<2, shape![4, 5]>::ones();
    let _ = einsum!(<i, j, k> (i, j), (j, k) -> (i, k); x, y);
}
