//! `stretch` turns `Dim<1>` into `One`, and this axis is one.
//!
//! The way out: leave the call out.

use shapeproof::{Tensor, shape};

fn main() {
    let means = Tensor::<2, shape![3, 4]>::ones().mean_keepdim::<1>();
    let _ = means.stretch::<1>();
}
