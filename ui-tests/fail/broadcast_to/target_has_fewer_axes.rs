//! Stretching adds axes in front, and never takes any away.
//!
//! The way out: sum over the first axis, or name a target that has it.

use shapeproof::{Tensor, shape};

fn main() {
    let table = Tensor::<2, shape![2, 3]>::ones();
    let _ = table.broadcast_to::<shape![3]>();
}
