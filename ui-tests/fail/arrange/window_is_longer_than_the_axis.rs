//! Windows lie inside the axis.
//!
//! The way out: an axis of 4 entries has windows of at most 4; `pad` makes it longer.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![2, 4]>::ones();
    let _ = x.unfold::<1, 7, 1>();
}
