//! Tensors that are joined have elements of one type.
//!
//! The way out: make both `f32` or both `f64`.

use shapeproof::{Join, Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3], f32>::ones();
    let y = Tensor::<1, shape![3], f64>::ones();
    let _ = (&x, &y).concat::<0>();
}
