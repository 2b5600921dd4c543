//! A tensor without axes has no axis to reduce.
//!
//! The way out: nothing, it is a single number already.

use shapeproof::{Tensor, shape};

fn main() {
    let loss = Tensor::<1, shape![4]>::ones().sum();
    let _ = loss.mean_axis::<0>();
}
