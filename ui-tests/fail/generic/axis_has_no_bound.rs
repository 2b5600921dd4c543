//! A type parameter in a shape is an axis only if it says so.
//!
//! The way out: `B: Axis`.

use shapeproof::{Dim, Tensor};

fn rows<B>(_: Tensor<2, (B, Dim<10>)>) {}

fn main() {}
