//! No more entries can be chosen than the axis has.
//!
//! The way out: choose at most 3 here.

use shapeproof::{Tensor, shape};

fn main() {
    let scores = Tensor::<2, shape![2, 3]>::ones();
    let _ = scores.topk::<1, 5>();
}
