//! Axes are counted from 0: a matrix has the axes 0 and 1.
//!
//! The way out: name an axis that the shape has; `sum()` takes all of them.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.sum_axis::<2>();
}
