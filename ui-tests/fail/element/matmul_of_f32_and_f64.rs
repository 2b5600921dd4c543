//! Element types are not converted silently.
//!
//! The way out: `cast::<f32>()`.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<2, shape![2, 2], f32>::eye();
    let b = Tensor::<2, shape![2, 2], f64>::eye();
    let _ = a.matmul(&b);
}
