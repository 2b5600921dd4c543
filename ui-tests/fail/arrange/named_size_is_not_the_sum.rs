//! The size that `pad_as` names is that of the axis and what is added.
//!
//! The way out: name that sum.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3000]>::ones();
    let _ = x.pad_as::<0, 4, 4, 3007>(0.0);
}
