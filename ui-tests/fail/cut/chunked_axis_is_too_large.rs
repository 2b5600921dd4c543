//! Sizes are divided in types up to 2047.
//!
//! The way out: `chunk_as::<1, 3, 1024>` names the size of a part, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![4, 3072]>::ones();
    let _ = x.chunk::<1, 3>();
}
