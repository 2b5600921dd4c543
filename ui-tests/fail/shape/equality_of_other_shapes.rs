//! Tensors of different shapes are different types: comparing them is a mistake, not `false`.
//!
//! The way out: compare tensors of one shape; `eq` compares element by element, with broadcasting.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let y = Tensor::<1, shape![4]>::ones();
    assert_eq!(x, y);
}
