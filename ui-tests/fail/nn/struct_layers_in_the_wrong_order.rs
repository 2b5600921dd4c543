//! A model in a struct applies its layers by hand, and each takes what it is given.
//!
//! The way out: apply the encoder before the decoder.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Axis, Dim, Tensor};

struct Autoencoder {
    encoder: Linear<784, 32>,
    decoder: Linear<32, 784>,
}

fn run<B: Axis>(model: &Autoencoder, x: &Tensor<2, (B, Dim<784>)>) {
    let _ = model.encoder.forward(&model.decoder.forward(x).relu());
}

fn main() {}
