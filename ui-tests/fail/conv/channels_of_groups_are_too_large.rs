//! The channels that groups make are counted in types up to 2047.
//!
//! The way out: `conv_transpose1d_as`, and the type that is wanted.

use shapeproof::shape::{Groups, Spread};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 3, 20]>::zeros();
    let w = Tensor::<3, shape![3, 1000, 5]>::zeros();
    let _ = x.conv_transpose1d(&w, Groups::<3, _>(Spread::<1>));
}
