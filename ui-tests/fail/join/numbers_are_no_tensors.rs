//! Tensors are joined, not numbers.
//!
//! The way out: `Tensor::from([1.0])` is a tensor of one number.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = (&x, 1.0).concat::<0>();
}
