//! Apart from the axis that is picked from, the indices have the axes of the tensor.
//!
//! The way out: one row of indices for each row of the tensor.

use shapeproof::{Gathers, Indices, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let picks = Indices::<2, shape![16, 3], 10>::from_vec(vec![0; 48]).unwrap();
    let _ = x.gather::<1>(&picks);
}
