//! What `index_add` adds has one entry for each index, and the tensor's other axes.
//!
//! The way out: a source of that shape.

use shapeproof::{Indices, Selects, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let rows = Indices::<1, shape![4], 32>::from_vec(vec![0; 4]).unwrap();
    let _ = x.index_add::<0>(&rows, &Tensor::<2, shape![5, 10]>::ones());
}
