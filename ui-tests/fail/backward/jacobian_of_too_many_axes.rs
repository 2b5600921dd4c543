//! A Jacobian has the axes of the result and then those of the input, and no more than 6.
//!
//! The way out: flatten the result, or the input.

use shapeproof::autograd::jacrev;
use shapeproof::{Tensor, shape};

fn main() {
    let images = Tensor::<4, shape![8, 3, 28, 28]>::ones();
    let jacobian = jacrev(|x| x.exp(), &images);
}
