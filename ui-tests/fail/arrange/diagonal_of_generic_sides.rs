//! The shorter of two generic sides is not known in types.
//!
//! The way out: `diagonal_as::<N>` names it.

use shapeproof::{Tensor, shape};

fn diagonal<const N: usize>(x: &Tensor<2, shape![N, N]>) {
    let _ = x.diagonal();
}

fn main() {
    diagonal(&Tensor::<2, shape![4, 4]>::ones());
}
