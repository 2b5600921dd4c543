//! In a model for images, the channels that a convolution makes are those that the next one takes.
//!
//! The way out: the first number of a `Conv2d` is the second one of the `Conv2d` before.

use shapeproof::nn::{Conv2d, Layer, MaxPool2d};
use shapeproof::shape::Pool;
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let rng = &mut Rng::seed(0);
    let model = (Conv2d::<3, 8, 3>::new(rng), MaxPool2d(Pool::<2>), Conv2d::<16, 32, 3>::new(rng));
    let _ = model.forward(&Tensor::<4, shape![10, 3, 28, 28]>::ones());
}
