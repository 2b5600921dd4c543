//! One-hot vectors are as long as the bound of the indices.
//!
//! The way out: write the bound, here 10, or make the indices with another one.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let labels = Indices::<1, shape![4], 10>::from_array([3, 1, 4, 1]).unwrap();
    let _: Tensor<2, shape![4, 5]> = labels.one_hot();
}
