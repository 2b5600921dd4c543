//! The vectors of a dot product are equally long.
//!
//! The way out: `outer` gives all products of two vectors of any length.

use shapeproof::{Tensor, shape};

fn main() {
    let a = Tensor::<1, shape![4]>::ones();
    let b = Tensor::<1, shape![5]>::ones();
    let _ = a.dot(&b);
}
