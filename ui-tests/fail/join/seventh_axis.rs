//! A shape has at most six axes, so a stack needs shapes of at most five.
//!
//! The way out: `concat` along one that is there, or `reshape` first.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<6, shape![2, 2, 2, 2, 2, 2]>::ones();
    let _ = (&x, &x).stack::<0>();
}
