//! Windows start at different entries.
//!
//! The way out: `unfold::<0, 3, 1>` takes every window.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![4]>::ones();
    let _ = x.unfold::<0, 3, 0>();
}
