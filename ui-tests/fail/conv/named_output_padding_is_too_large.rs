//! An output padding is smaller than the stride or the dilation.
//!
//! The way out: `Spread::<2, 0, 1>`, or more stride.

use shapeproof::shape::Spread;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 6, 3000]>::zeros();
    let w = Tensor::<3, shape![6, 2, 2]>::zeros();
    let _: Tensor<3, shape![1, 2, 6002]> = x.conv_transpose1d_as(&w, Spread::<2, 0, 2>);
}
