//! A reshape names its target: it does not follow from the type that is wanted.
//!
//! The way out: `reshape::<shape![4, 3]>()`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _: Tensor<2, shape![4, 3]> = x.reshape();
}
