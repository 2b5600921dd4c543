//! Each of several axes must be there.
//!
//! The way out: axes are counted from 0, so the last of three is axis 2.

use shapeproof::{Tensor, axes, shape};

fn main() {
    let x = Tensor::<3, shape![4, 5, 6]>::ones();
    let _ = x.mean_axes::<axes![0, 3]>();
}
