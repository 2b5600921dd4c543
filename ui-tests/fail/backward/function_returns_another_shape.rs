//! The gradient that a `Function` returns for an input has the input's shape.
//!
//! The way out: what forward broadcast or reduced, backward sums or spreads again.

use shapeproof::autograd::Function;
use shapeproof::{Tensor, shape};

struct Mean;

impl Function for Mean {
    const NAME: &'static str = "mean";
    type Inputs = Tensor<2, shape![32, 10]>;
    type Output = Tensor<1, shape![10]>;
    type Saved = ();

    fn forward(&self, x: Self::Inputs) -> (Self::Output, ()) {
        (x.mean_axis::<0>(), ())
    }
    fn backward(&self, (): &(), grad: Self::Output) -> Self::Inputs {
        grad / 32.0
    }
}

fn main() {}
