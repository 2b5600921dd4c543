//! There is no largest of no entries.
//!
//! The way out: reduce another axis, or give this one entries.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 0]>::zeros();
    let _ = x.max_axis::<1>();
}
