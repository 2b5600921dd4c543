//! The left side of `+=` gets no new axes.
//!
//! The way out: sum the right side over its first axis before it is added.

use shapeproof::{Tensor, shape};

fn main() {
    let mut total = Tensor::<1, shape![4]>::zeros();
    let table = Tensor::<2, shape![3, 4]>::ones();
    total += table;
}
