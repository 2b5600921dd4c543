//! Elements are `f32` or `f64`.
//!
//! The way out: one of the two; whole numbers that index something are `Indices`.

use shapeproof::{Tensor, shape};

fn count(_: Tensor<1, shape![3], i32>) {}

fn main() {}
