//! A `Dim` keeps its size, even if that is 1: only `One` stretches.
//!
//! The way out: `stretch::<1>()` turns the `Dim<1>` at axis 1 into `One`.

use shapeproof::{Tensor, shape};

fn main() {
    let column = Tensor::from([[1.0f32], [2.0], [3.0]]); // (Dim<3>, Dim<1>)
    let table = Tensor::<2, shape![3, 4]>::ones();
    let _ = column * table;
}
