//! A window that may reach beyond the end of an axis still reaches less than a stride beyond it and its padding.
//!
//! The way out: a smaller window, or `adaptive_avg_pool2d`, which takes the size of the result.

use shapeproof::shape::{Ceil, Pool};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 3, 28, 2]>::zeros();
    let _ = x.max_pool2d(Ceil(Pool::<4, 2>));
}
