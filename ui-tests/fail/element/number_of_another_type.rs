//! A number has the type of the elements.
//!
//! The way out: `x * factor as f32`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let factor: f64 = 0.5;
    let _ = x * factor;
}
