//! The left side of `+=` keeps its shape: what does not fit into it cannot be added in place.
//!
//! The way out: `total = total + table` makes a new, larger tensor.

use shapeproof::{Tensor, shape};

fn main() {
    let mut total = Tensor::<2, shape![1, 4]>::zeros();
    let table = Tensor::<2, shape![3, 4]>::ones();
    total += table;
}
