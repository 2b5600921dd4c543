//! An axis is one number or name; constants are computed in braces, and sizes that depend on parameters not at all.
//!
//! The way out: `{ 28 * 28 }`, and for a product of parameters a parameter of its own.

use shapeproof::{Tensor, shape};

fn flat<const B: usize>(_: &Tensor<2, shape![B, 28 * 28]>) {}

fn main() {}
