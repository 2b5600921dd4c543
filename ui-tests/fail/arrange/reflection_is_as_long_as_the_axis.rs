//! A reflection leaves out the entry at the edge, so it is shorter than the axis.
//!
//! The way out: an axis of 3 entries reflects at most 2; `pad_replicate` repeats the edge any number of times.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![3]>::ones();
    let _ = x.pad_reflect::<0, 1, 3>();
}
