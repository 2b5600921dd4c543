//! Parts add up to the axis that is split, however large it is.
//!
//! The way out: name a part for the rest.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![60000]>::ones();
    let _ = x.split_as::<0, shape![50000, 5000]>();
}
