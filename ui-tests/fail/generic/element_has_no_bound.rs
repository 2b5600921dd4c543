//! A type parameter is an element type only if it says so.
//!
//! The way out: `E: Element`.

use shapeproof::{Tensor, shape};

fn twice<E>(_: Tensor<1, shape![3], E>) {}

fn main() {}
