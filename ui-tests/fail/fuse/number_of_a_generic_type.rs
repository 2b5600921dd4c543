//! A number in a fused expression is `f32` or `f64`.
//!
//! The way out: one of a generic type goes in as a tensor, `fuse((x, &Tensor::scalar(by)), |(x, by)| x * by)`.

use shapeproof::element::Element;
use shapeproof::fusion::fuse;
use shapeproof::{Tensor, shape};

fn scaled<E: Element>(x: &Tensor<1, shape![3], E>, by: E) -> Tensor<1, shape![3], E> {
    fuse(x, |x| x * by)
}

fn main() {}
