//! A number on the left must be `f32` or `f64`: foreign types take no generic impl.
//!
//! The way out: the tensor first, `x * two`.

use shapeproof::element::Element;
use shapeproof::{Tensor, shape};

fn twice<E: Element>(x: &Tensor<1, shape![3], E>, two: E) {
    let _ = two * x;
}

fn main() {}
