//! There is no largest entry where one of the axes has none.
//!
//! The way out: reduce other axes, or give this one entries.

use shapeproof::{Tensor, axes, shape};

fn main() {
    let x = Tensor::<3, shape![4, 5, 0]>::zeros();
    let _ = x.max_axes::<axes![0, 2]>();
}
