//! The results of a mapped function have one more axis than each of them, and no tensor has more than 6.
//!
//! The way out: flatten the result of the function.

use shapeproof::autograd::vmap;
use shapeproof::prelude::*;

fn main() {
    let numbers = Tensor::<1, shape![32]>::zeros();
    let grid = Tensor::<6, shape![2, 2, 2, 2, 2, 2]>::zeros();
    vmap(|x| &grid * x, &numbers);
}
