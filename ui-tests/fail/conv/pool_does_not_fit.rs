//! A window is no larger than the axis that it slides along and its padding at both ends.
//!
//! The way out: a smaller window, or `adaptive_avg_pool2d`, which takes the size of the result.

use shapeproof::shape::Pool;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 3, 28, 2]>::zeros();
    let _ = x.avg_pool2d(Pool::<3, 2>);
}
