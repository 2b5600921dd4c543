//! Windows lie along a new axis, and a shape has at most six.
//!
//! The way out: `reshape` first.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<6, shape![2, 2, 2, 2, 2, 8]>::ones();
    let _ = x.unfold::<5, 3, 1>();
}
