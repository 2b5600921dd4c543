//! Axes that stand opposite each other must be equal.
//!
//! The way out: give both operands the same size, or keep a reduced axis as `One`, which stretches.

use shapeproof::{Tensor, shape};

fn main() {
    let scores = Tensor::<2, shape![32, 10]>::zeros();
    let bonus = Tensor::<2, shape![32, 12]>::zeros();
    let _ = scores + bonus;
}
