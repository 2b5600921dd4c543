//! `backward` starts from a single number.
//!
//! The way out: reduce with `sum()` or `mean()`, or pass a seed to `backward_with`.

use shapeproof::{Param, shape};

fn main() {
    let w = Param::<2, shape![3, 4]>::ones();
    w.square().backward();
}
