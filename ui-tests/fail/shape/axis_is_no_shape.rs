//! A shape is a tuple, also if it has one axis.
//!
//! The way out: `shape![3]`, which is `(Dim<3>,)`.

use shapeproof::{Dim, Tensor};

fn take(_: Tensor<1, Dim<3>>) {}

fn main() {}
