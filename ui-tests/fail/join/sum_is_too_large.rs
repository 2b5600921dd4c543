//! Sums of sizes are computed in types up to 2047.
//!
//! The way out: `concat_as::<0, 2400>` names the size, which is checked.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![800]>::ones();
    let _ = (&x, &x, &x).concat::<0>();
}
