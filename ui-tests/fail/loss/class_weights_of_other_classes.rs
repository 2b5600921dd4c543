//! Each class has one weight.
//!
//! The way out: as many weights as classes.

use shapeproof::loss::CrossEntropy;
use shapeproof::{Indices, Tensor, shape};

fn main() {
    let logits = Tensor::<2, shape![2, 10]>::zeros();
    let targets = Indices::<1, shape![2], 10>::from_array([3, 9]).unwrap();
    let weights = [1.0; 12];
    let options = CrossEntropy { weights: Some(&weights), ..Default::default() };
    let _ = logits.cross_entropy_with(&targets, options);
}
