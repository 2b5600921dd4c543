//! `sum_axis` takes the axis away.
//!
//! The way out: `sum_keepdim` leaves it as `One`.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![32, 10]>::ones();
    let _: Tensor<2, shape![32, 1]> = x.sum_axis::<1>();
}
