//! Chunks add up to the axis that is cut.
//!
//! The way out: name how many there are of which size.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![60000]>::ones();
    let _ = x.chunk_as::<0, 7, 8571>();
}
