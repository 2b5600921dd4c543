//! No position is the smallest one's along an axis without entries; nor is there a `max` or `min`.
//!
//! The way out: look along another axis, or give this one entries.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![0, 3]>::zeros();
    let _ = x.argmin_axis::<0>();
}
