//! One training step for every model, every optimizer and every loss.

use shapeproof::optim::{AdamConfig, SgdConfig};
use shapeproof::prelude::*;

fn step<M: Module>(
    model: &mut M,
    optimizer: &mut impl Optimizer<M>,
    loss: impl Fn(&M) -> Tensor<0, ()>,
) -> f32 {
    model.zero_grad();
    let loss = loss(model);
    loss.backward();
    optimizer.step(model);
    loss.item()
}

fn main() {
    let x = Tensor::from([[0.0, 1.0], [1.0, 0.0]]);
    let mut model = Linear::<2, 1>::new(&mut Rng::seed(0));
    let mut adam = Adam::new(
        &model,
        AdamConfig {
            lr: 0.1,
            ..Default::default()
        },
    );
    let mut sgd = Sgd::new(
        &model,
        SgdConfig {
            lr: 0.1,
            ..Default::default()
        },
    );
    let loss = |model: &Linear<2, 1>| model.forward(&x).square().mean();
    let first = step(&mut model, &mut adam, loss);
    let second = step(&mut model, &mut sgd, loss);
    assert!(second < first);
}
