//! A parameter starts with a value of its own shape. `Linear` keeps its weight as `(outputs, inputs)`.
//!
//! The way out: exchange the sizes, or transpose the value with `t()`.

use shapeproof::nn::Linear;
use shapeproof::{Param, Rng, Tensor, shape};

fn main() {
    let mut layer = Linear::<784, 10>::new(&mut Rng::seed(0));
    layer.weight = Param::new(Tensor::<2, shape![784, 10]>::zeros());
}
