//! `grad` takes the gradient of a single number.
//!
//! The way out: reduce the result to a loss, or give `grad_with` the gradient of the result as a seed.

use shapeproof::autograd::grad;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones().tracked();
    let dx = grad(&x.square(), &x);
    println!("{dx}");
}
