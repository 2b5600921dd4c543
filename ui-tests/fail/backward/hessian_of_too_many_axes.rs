//! A Hessian has the axes of the input twice, and no more than 6.
//!
//! The way out: a function of the flattened input.

use shapeproof::autograd::hessian;
use shapeproof::{Tensor, shape};

fn main() {
    let images = Tensor::<4, shape![8, 3, 28, 28]>::ones();
    let second = hessian(|x| x.square().sum(), &images);
}
