//! A kernel slides by one entry or more, in sizes that are named too.
//!
//! The way out: `Slide::<1>`.

use shapeproof::shape::Slide;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 2, 40_000]>::zeros();
    let w = Tensor::<3, shape![3, 2, 9]>::zeros();
    let _: Tensor<3, shape![1, 3, 40_000]> = x.conv1d_as(&w, Slide::<0, 4>);
}
