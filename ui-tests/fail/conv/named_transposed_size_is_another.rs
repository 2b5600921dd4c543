//! A size that the caller names is the size of the result.
//!
//! The way out: name the size that the error states. It is found by `cargo build`, not by `cargo check`.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 2, 5000]>::zeros();
    let w = Tensor::<3, shape![2, 3, 9]>::zeros();
    let _: Tensor<3, shape![1, 3, 10_000]> = x.conv_transpose1d_as(&w, Spread::<2, 4>);
}
