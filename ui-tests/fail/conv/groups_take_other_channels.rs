//! Groups of channels together are the channels of the input.
//!
//! The way out: axis 1 of the weight is the number of channels divided by that of groups. It is found by
//! `cargo build`, not by `cargo check`.

use shapeproof::shape::{Groups, Same};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<4, shape![32, 6, 28, 28]>::zeros();
    let w = Tensor::<4, shape![8, 4, 5, 5]>::zeros();
    let _ = x.conv2d(&w, Groups::<2, _>(Same));
}
