//! Diagonals are measured in types for sides up to 2047.
//!
//! The way out: `diagonal_as::<3000>` names the size, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3000, 4000]>::ones();
    let _ = x.diagonal();
}
