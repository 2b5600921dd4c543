//! `tensordot::<I, J>` sums over axis I of the left and axis J of the right operand, which are equal.
//!
//! The way out: axes are counted from 0, outermost first.

use shapeproof::{Tensor, Tensordot, shape};

fn main() {
    let x = Tensor::<2, shape![2, 3]>::ones();
    let y = Tensor::<2, shape![4, 5]>::ones();
    let _ = x.tensordot::<1, 0>(&y);
}
