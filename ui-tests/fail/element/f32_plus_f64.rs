//! Element types are not converted silently.
//!
//! The way out: `cast::<f64>()`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3], f32>::ones();
    let y = Tensor::<1, shape![3], f64>::ones();
    let _ = x + y;
}
