//! One axis of indices replaces one axis of the tensor.
//!
//! The way out: `gather` takes one index for each entry, `embedding` looks up rows by indices of any shape.

use shapeproof::{Indices, Selects, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let rows = Indices::<2, shape![2, 4], 32>::from_vec(vec![0; 8]).unwrap();
    let _ = x.index_select::<0>(&rows);
}
