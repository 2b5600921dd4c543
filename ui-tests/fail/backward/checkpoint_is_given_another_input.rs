//! `checkpoint` takes the inputs of its function, by reference and in order.
//!
//! The way out: inputs of the shapes that the function names.

use shapeproof::autograd::checkpoint;
use shapeproof::{Tensor, shape};

fn block(x: Tensor<2, shape![32, 784]>) -> Tensor<2, shape![32, 784]> {
    x.tanh()
}

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones().tracked();
    checkpoint(block, &x);
}
