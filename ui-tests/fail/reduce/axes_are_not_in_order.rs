//! Several axes are named in ascending order, each once.
//!
//! The way out: `axes![0, 2]`.

use shapeproof::{Tensor, axes, shape};

fn main() {
    let x = Tensor::<4, shape![4, 5, 6, 7]>::ones();
    let _ = x.sum_axes::<axes![2, 0]>();
}
