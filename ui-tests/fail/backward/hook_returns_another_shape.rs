//! A hook looks at a gradient, or replaces it by one of the same shape.
//!
//! The way out: the gradient of a tensor has the tensor's own shape; sums over an axis keep it with
//! `mean_keepdim` and a broadcast.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones().tracked();
    x.register_hook(|grad| grad.mean_axis::<0>());
}
