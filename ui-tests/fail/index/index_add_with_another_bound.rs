//! Indices name entries of an axis that is as long as their bound.
//!
//! The way out: the axis that the indices are meant for, or indices below its size.

use shapeproof::{Indices, Selects, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let columns = Indices::<1, shape![4], 10>::from_vec(vec![0; 4]).unwrap();
    let _ = x.index_add::<0>(&columns, &Tensor::<2, shape![4, 10]>::ones());
}
