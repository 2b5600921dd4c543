//! `item` reads the single number of a tensor without axes.
//!
//! The way out: `x[[1, 2]]` reads one element, `sum()` and `mean()` make a single number.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.item();
}
