//! Generic sizes are not added in types.
//!
//! The way out: `pad_as::<0, 1, 1, M>` names the size of the result by a parameter of its own.

use shapeproof::{Tensor, shape};

fn pad<const N: usize>(x: &Tensor<1, shape![N]>) {
    let _ = x.pad::<0, 1, 1>(0.0);
}

fn main() {
    pad(&Tensor::<1, shape![4]>::ones());
}
