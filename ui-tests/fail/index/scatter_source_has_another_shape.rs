//! One index belongs to each element that is scattered.
//!
//! The way out: indices and source of the same shape.

use shapeproof::{Gathers, Indices, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let at = Indices::<2, shape![32, 3], 10>::from_vec(vec![0; 96]).unwrap();
    let _ = x.scatter_add::<1>(&at, &Tensor::<2, shape![32, 4]>::ones());
}
