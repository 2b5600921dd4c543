//! A bias has a number for each row of the weight, which is one for each feature that comes out.
//!
//! The way out: a weight has the shape `(outputs, inputs)`, and the bias `(outputs,)`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 4]>::ones();
    let weight = Tensor::<2, shape![8, 4]>::ones();
    let bias = Tensor::<1, shape![5]>::ones();
    let _ = x.linear(&weight, &bias);
}
