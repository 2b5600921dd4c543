//! Only an entry can be repeated.
//!
//! The way out: `pad` with a number fills an empty axis.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<1, shape![0]>::ones();
    let _ = x.pad_replicate::<0, 1, 1>();
}
