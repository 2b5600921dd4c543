//! What starts anywhere at run time is no longer than the axis.
//!
//! The way out: name at most as many entries as the axis has.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![5]>::ones();
    let _ = x.narrow_at::<0, 6>(0);
}
