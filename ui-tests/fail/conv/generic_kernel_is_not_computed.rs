//! The compiler computes with kernels that it knows, not with parameters.
//!
//! The way out: `conv1d_as`, with the result's size as another parameter, or `Same`.

use shapeproof::shape::Slide;
use shapeproof::{Axis, Tensor, shape};

fn filter<K: Axis>(x: &Tensor<3, shape![1, 2, 40]>, w: &Tensor<3, shape![3, 2, (K)]>) {
    let _ = x.conv1d(w, Slide::<1, 1>);
}

fn main() {
    filter(&Tensor::<3, shape![1, 2, 40]>::zeros(), &Tensor::<3, shape![3, 2, 9]>::zeros());
}
