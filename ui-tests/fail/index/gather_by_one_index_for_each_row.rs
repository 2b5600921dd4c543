//! `gather` takes indices with as many axes as the tensor.
//!
//! The way out: `chosen.unsqueeze::<1>()` makes a column of them, and `squeeze::<1>()` a vector of the result.

use shapeproof::tensor::Gathers;
use shapeproof::{Indices, Tensor, shape};

fn main() {
    let values = Tensor::<2, shape![32, 4]>::zeros();
    let chosen = Indices::<1, shape![32], 4>::from_vec(vec![0; 32]).unwrap();
    let _ = values.gather::<1>(&chosen);
}
