//! The size that `repeat_interleave_as` names is a multiple of that of the axis.
//!
//! The way out: name that product.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3000]>::ones();
    let _ = x.repeat_interleave_as::<0, 2, 3000>();
}
