//! Labels and other indices are made from whole numbers.
//!
//! The way out: `[0, 2, 1]`; from floats, `values.map(|x| x as usize)`.

use shapeproof::{Indices, shape};

fn main() {
    let _ = Indices::<1, shape![3], 10>::from_array([0.0, 2.0, 1.0]);
}
