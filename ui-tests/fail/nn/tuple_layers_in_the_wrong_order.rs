//! In a tuple each layer takes what the one before returns.
//!
//! The way out: `(encoder, Relu, decoder)`, in the order in which they are applied.

use shapeproof::nn::{Layer, Linear, Relu};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let rng = &mut Rng::seed(0);
    let (encoder, decoder) = (Linear::<784, 32>::new(rng), Linear::<32, 784>::new(rng));
    let model = (decoder, Relu, encoder);
    let _ = model.forward(&Tensor::<2, shape![16, 784]>::ones());
}
