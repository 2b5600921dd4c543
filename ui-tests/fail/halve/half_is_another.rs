//! A half that is named has half the size of the axis.
//!
//! The way out: name the half, or let `glu` compute it.

use shapeproof::{Dim, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 4096]>::zeros();
    let _ = x.glu_as::<1, Dim<1024>>();
}
