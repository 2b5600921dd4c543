//! The targets have the shape of the scores without their last axis.
//!
//! The way out: targets of rank 1 for a matrix of scores.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let logits = Tensor::<2, shape![32, 10]>::zeros();
    let targets = Indices::<2, shape![32, 1], 10>::from_vec(vec![0; 32]).unwrap();
    let _ = logits.cross_entropy(&targets);
}
