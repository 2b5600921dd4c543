//! A reduction drops its axis; what is left lines up with the wrong one.
//!
//! The way out: `mean_keepdim::<1>()` leaves `One` in its place, which stretches.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _ = &x - x.mean_axis::<1>();
}
