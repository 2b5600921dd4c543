//! Indices state their rank as tensors do, and it must be that of their shape.
//!
//! The way out: write the number of axes.

use shapeproof::{Indices, shape};

fn lookup(_: &Indices<2, shape![32], 10>) {}

fn main() {}
