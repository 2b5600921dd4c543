//! A shape is a tuple of axes, also if it has one axis.
//!
//! The way out: `shape![12]`, which is `(Dim<12>,)`.

use shapeproof::{Dim, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.reshape::<Dim<12>>();
}
