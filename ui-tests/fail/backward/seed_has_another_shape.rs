//! The seed is the gradient of some loss with respect to this very tensor, and has its shape.
//!
//! The way out: a seed of the tensor's shape.

use shapeproof::{Param, Tensor, shape};

fn main() {
    let w = Param::<2, shape![3, 4]>::ones();
    let seed = Tensor::<2, shape![3, 5]>::ones();
    w.square().backward_with(&seed);
}
