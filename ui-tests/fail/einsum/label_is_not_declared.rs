//! Labels are declared in front, as generics are.
//!
//! The way out: `<i, j, k>`.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let _ = einsum!(<i> (i, j) -> (i); x);
}
