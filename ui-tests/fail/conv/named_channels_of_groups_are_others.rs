//! The groups of a transposed convolution make as many channels each as the weight says.
//!
//! The way out: the number of groups times axis 1 of the weight.

use shapeproof::shape::{Groups, Spread};
use shapeproof::{Tensor, shape};

fn main() {
    let x = Tensor::<3, shape![1, 6, 3000]>::zeros();
    let w = Tensor::<3, shape![6, 2, 1]>::zeros();
    let _: Tensor<3, shape![1, 6, 3000]> = x.conv_transpose1d_as(&w, Groups::<2, _>(Spread::<1>));
}
