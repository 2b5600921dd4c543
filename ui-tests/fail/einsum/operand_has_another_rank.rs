//! An operand has as many axes as it has labels.
//!
//! The way out: a label for each axis.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<3, shape![2, 3, 4]>::ones();
    let _ = einsum!(<i, j> (i, j) -> (j, i); x);
}
