//! A shape of rank 2 has two axes.
//!
//! The way out: `shape![3, 4]`.

use shapeproof::{shape, shape::Shape};

fn main() {
    fn matrices<S: Shape<2>>() {}
    matrices::<shape![2, 3, 4]>();
}
