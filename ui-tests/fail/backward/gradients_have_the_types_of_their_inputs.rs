//! `grad` returns a tensor for each input, with the input's shape.
//!
//! The way out: take them in the order of the inputs.

use shapeproof::autograd::grad;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![4, 784]>::ones().tracked();
    let w = Tensor::<2, shape![784, 10]>::ones().tracked();
    let loss = x.matmul(&w).sum();
    let (dw, _): (Tensor<2, shape![784, 10]>, _) = grad(&loss, (&x, &w));
    println!("{dw}");
}
