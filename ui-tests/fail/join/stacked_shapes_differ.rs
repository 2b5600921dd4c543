//! Tensors that are stacked have equal shapes.
//!
//! The way out: `concat` joins tensors along an axis that may differ.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let y = Tensor::<1, shape![4]>::ones();
    let _ = (&x, &y).stack::<0>();
}
