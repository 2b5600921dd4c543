//! `fixed` turns `One` into `Dim<1>`; an axis of another size is fixed already.
//!
//! The way out: leave the call out.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.fixed::<1>();
}
