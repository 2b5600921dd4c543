//! The compiler computes with sizes that it knows, not with parameters.
//!
//! The way out: `conv1d_as`, with the result's size as another parameter, or `Same`.

use shapeproof::shape::Valid;
use shapeproof::{Tensor, shape};

fn filter<const L: usize>(x: &Tensor<3, shape![1, 2, L]>, w: &Tensor<3, shape![3, 2, 9]>) {
    let _ = x.conv1d(w, Valid);
}

fn main() {
    filter(&Tensor::<3, shape![1, 2, 40]>::zeros(), &Tensor::zeros());
}
