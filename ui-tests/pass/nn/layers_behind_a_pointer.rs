//! Layers of one signature behind a pointer: the input's type is fixed, the layer is not.

use shapeproof::nn::{Relu, Tanh};
use shapeproof::prelude::*;

type Batch = Tensor<2, shape![5, 4]>;

fn main() {
    let square = Linear::<4, 4>::new(&mut Rng::seed(0));
    let layers: Vec<Box<dyn Layer<Batch, Output = Batch>>> =
        vec![Box::new(square), Box::new(Relu), Box::new(Tanh)];
    let y = layers
        .iter()
        .fold(Batch::ones(), |x, layer| layer.forward(&x));
    assert!(y.iter().all(|y| (0.0..1.0).contains(&y)));
}
