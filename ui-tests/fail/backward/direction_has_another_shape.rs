//! A derivative is taken along a direction of the input's own shape.
//!
//! The way out: a direction with a number for each number of the input.

use shapeproof::autograd::jvp;
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<2, shape![3, 4]>::ones();
    let direction = Tensor::<2, shape![3, 5]>::ones();
    let (y, _) = jvp(|x| x.exp(), &x, &direction);
    println!("{y}");
}
