//! Windows are counted in types along axes of up to 2047 entries.
//!
//! The way out: `unfold_as::<1, 100, 50, 59>` names their number, which is checked.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![4, 3000]>::ones();
    let _ = x.unfold::<1, 100, 50>();
}
