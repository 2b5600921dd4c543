//! The axes of a shape are `Dim` and `One`.
//!
//! The way out: the type of the elements comes after the shape.

use shapeproof::{Dim, Tensor};

fn take(_: Tensor<2, (Dim<3>, f32)>) {}

fn main() {}
