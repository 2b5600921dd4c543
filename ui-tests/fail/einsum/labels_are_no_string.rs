//! The labels of `einsum!` are names that rustc checks, not the letters of a string.
//!
//! The way out: `einsum!(<i, j, k> (i, j), (j, k) -> (i, k); x, y)`.

use shapeproof::{Tensor, einsum, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let y = Tensor::<2, shape![3, 4]>::ones();
    let _ = einsum!("ij,jk->ik", x, y);
}
