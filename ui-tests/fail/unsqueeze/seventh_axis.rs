//! Shapes have at most six axes.
//!
//! The way out: reshape some of them into one.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<6, shape![2, 2, 2, 2, 2, 2]>::ones();
    let _ = x.unsqueeze::<0>();
}
