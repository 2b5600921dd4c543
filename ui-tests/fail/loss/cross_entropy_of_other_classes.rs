//! The last axis of the scores has one entry for each class.
//!
//! The way out: the bound of the targets is the number of classes.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let logits = Tensor::<2, shape![32, 10]>::zeros();
    let targets = Indices::<1, shape![32], 12>::from_vec(vec![0; 32]).unwrap();
    let _ = logits.cross_entropy(&targets);
}
