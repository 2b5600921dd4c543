//! The backward of a `Function` returns a gradient for each input.
//!
//! The way out: the tuple of inputs, each with its gradient; zeros where the result does not depend on one.

use shapeproof::autograd::Function;
use shapeproof::{Tensor, shape};

struct Scale;

impl Function for Scale {
    const NAME: &'static str = "scale";
    type Inputs = (Tensor<1, shape![3]>, Tensor<1, shape![3]>);
    type Output = Tensor<1, shape![3]>;
    type Saved = Self::Inputs;

    fn forward(&self, (x, w): Self::Inputs) -> (Self::Output, Self::Saved) {
        (&x * &w, (x, w))
    }
    fn backward(&self, (_, w): &Self::Saved, grad: Self::Output) -> Self::Inputs {
        (grad * w,)
    }
}

fn main() {}
