//! A type parameter is a shape only if it says so.
//!
//! The way out: `S: Shape<R>`.

use shapeproof::Tensor;

fn show<const R: usize, S>(_: &Tensor<R, S>) {}

fn main() {}
