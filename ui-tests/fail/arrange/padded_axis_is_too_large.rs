//! Sums of sizes are computed in types up to 2047.
//!
//! The way out: `pad_as::<0, 1020, 4, 2048>` names the size, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![1024]>::ones();
    let _ = x.pad::<0, 1020, 4>(0.0);
}
