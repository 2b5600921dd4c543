//! Both axes that trade places must be there.
//!
//! The way out: a matrix has the axes 0 and 1.

use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let _ = x.transpose::<1, 2>();
}
