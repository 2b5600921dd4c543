//! Sums of sizes are computed in types up to 2047.
//!
//! The way out: `pad_as::<1, 1, 1, 3002>` names the size, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![4, 3000]>::ones();
    let _ = x.pad::<1, 1, 1>(0.0);
}
