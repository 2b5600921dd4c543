//! `Same` keeps the size.
//!
//! The way out: the size of the input, here 4000.

use shapeproof::shape::Same;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 2, 4000]>::zeros();
    let w = Tensor::<3, shape![3, 2, 9]>::zeros();
    let _: Tensor<3, shape![1, 3, 3992]> = x.conv1d_as(&w, Same);
}
