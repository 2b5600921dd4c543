//! In a tuple each layer takes what the one before returns.
//!
//! The way out: exchange the layers, or make their widths meet.

use shapeproof::nn::{Layer, Linear, Relu};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let rng = &mut Rng::seed(0);
    let model = (
        Linear::<128, 10>::new(rng),
        Relu,
        Linear::<784, 128>::new(rng),
    );
    let _ = model.forward(&Tensor::<2, shape![32, 784]>::ones());
}
