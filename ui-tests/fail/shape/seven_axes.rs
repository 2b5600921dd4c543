//! Shapes have at most six axes.
//!
//! The way out: one axis for several, with `reshape`.

use shapeproof::{Tensor, shape};

fn take(_: Tensor<7, shape![2, 2, 2, 2, 2, 2, 2]>) {}

fn main() {}
