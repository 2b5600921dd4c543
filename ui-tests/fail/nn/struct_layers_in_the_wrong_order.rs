//! A model in a struct applies its layers by hand, and each takes what it is given.
//!
//! The way out: apply `hidden` before `output`.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Axis, Dim, Tensor};

struct Mlp {
    hidden: Linear<784, 128>,
    output: Linear<128, 10>,
}

fn logits<B: Axis>(model: &Mlp, x: &Tensor<2, (B, Dim<784>)>) -> Tensor<2, (B, Dim<10>)> {
    model.hidden.forward(&model.output.forward(x).relu())
}

fn main() {}
