//! The result has each label once.
//!
//! The way out: `diag` makes a matrix of its diagonal.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = einsum!(<i> (i) -> (i, i); x);
}
