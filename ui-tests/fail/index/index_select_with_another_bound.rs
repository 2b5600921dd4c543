//! The bound of the indices is the size of the axis that they select from.
//!
//! The way out: make the indices with the size of that axis.

use shapeproof::{Indices, Selects, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let rows = Indices::<1, shape![4], 10>::from_vec(vec![0; 4]).unwrap();
    let _ = x.index_select::<0>(&rows);
}
