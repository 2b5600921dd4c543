//! A tensor states its rank, and it must be that of its shape.
//!
//! The way out: write the number of axes.

use shapeproof::{Tensor, shape};

fn area(_: Tensor<3, shape![3, 4]>) {}

fn main() {}
