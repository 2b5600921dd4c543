//! A function takes the shape that it names.
//!
//! The way out: `t()` exchanges batch and features.

use shapeproof::{Tensor, shape};

fn normalise(_: &Tensor<2, shape![32, 10]>) {}

fn main() {
    let features_first = Tensor::<2, shape![10, 32]>::ones();
    normalise(&features_first);
}
