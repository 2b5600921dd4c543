//! Each row of scores has one target.
//!
//! The way out: take as many targets as rows.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let logits = Tensor::<2, shape![32, 10]>::zeros();
    let targets = Indices::<1, shape![16], 10>::from_vec(vec![0; 16]).unwrap();
    let _ = logits.cross_entropy(&targets);
}
