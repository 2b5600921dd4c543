//! Tensors are joined along an axis that they have.
//!
//! The way out: `stack` joins along a new axis.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![10]>::ones();
    let _ = (&x, &x).concat::<1>();
}
