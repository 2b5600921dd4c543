//! A size that the caller names is the size of the result.
//!
//! The way out: name the size that the error states. It is found by `cargo build`, not by `cargo check`.

use shapeproof::shape::Valid;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 2, 40_000]>::zeros();
    let w = Tensor::<3, shape![3, 2, 9]>::zeros();
    let _: Tensor<3, shape![1, 3, 40_000]> = x.conv1d_as(&w, Valid);
}
