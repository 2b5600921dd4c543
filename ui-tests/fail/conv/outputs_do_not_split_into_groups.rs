//! Each group makes as many output channels.
//!
//! The way out: a number of groups that divides both, here 2.

use shapeproof::shape::{Groups, Valid};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 12, 28]>::zeros();
    let w = Tensor::<3, shape![8, 4, 5]>::zeros();
    let _ = x.conv1d(&w, Groups::<3, _>(Valid));
}
