//! The channels of the input split into the groups of a transposed convolution.
//!
//! The way out: a number of groups that divides axis 1 of the input. It is found by `cargo build`, not by
//! `cargo check`.

use shapeproof::shape::{Groups, Spread};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![32, 6, 14]>::zeros();
    let w = Tensor::<3, shape![6, 3, 5]>::zeros();
    let _ = x.conv_transpose1d(&w, Groups::<4, _>(Spread::<1>));
}
