//! Comparisons broadcast by the same rule as operators.
//!
//! The way out: compare with a tensor of the same size, or with a number.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let limits = Tensor::<1, shape![4]>::zeros();
    let _ = x.gt(&limits);
}
