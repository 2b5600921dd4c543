//! The indices have as many axes as the tensor that they pick from.
//!
//! The way out: `argmax_keepdim`, or `Indices` with an axis of size 1.

use shapeproof::{Gathers, Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::zeros();
    let _ = x.gather::<1>(&x.argmax_axis::<1>());
}
