//! `Linear` takes vectors, batches of them, and batches of sequences of them.
//!
//! The way out: the layer `Flatten` before it, or a reshape, makes one axis of the pixels of an image.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let layer = Linear::<784, 10>::new(&mut Rng::seed(0));
    let images = Tensor::<4, shape![32, 3, 28, 28]>::ones();
    let _ = layer.forward(&images);
}
