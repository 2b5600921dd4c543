//! The bound of the indices is the size of the axis that they pick from.
//!
//! The way out: make the indices with the size of that axis.

use shapeproof::{Gathers, Indices, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let picks = Indices::<2, shape![32, 3], 12>::from_vec(vec![0; 96]).unwrap();
    let _ = x.gather::<1>(&picks);
}
