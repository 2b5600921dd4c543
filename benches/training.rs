//! Whole training steps: forward, loss, backward, update.
//!
//! `cargo bench --bench training`.

use divan::{Bencher, black_box};
use shapeproof::nn::{Relu, Tanh};
use shapeproof::optim::{AdamConfig, SgdConfig};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

type Tiny = (Linear<2, 16>, Tanh, Linear<16, 16>, Tanh, Linear<16, 1>);

fn tiny() -> Tiny {
    let rng = &mut Rng::seed(0);
    (
        Linear::new(rng),
        Tanh,
        Linear::new(rng),
        Tanh,
        Linear::new(rng),
    )
}

/// 2-16-16-1, batch 32, mean squared error.
#[divan::bench]
fn tiny_mlp_adam(bencher: Bencher) {
    let mut model = tiny();
    let mut optimizer = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![32, 2]>::randn(&mut Rng::seed(1));
    let y = Tensor::<2, (Dim<32>, Dim<1>)>::randn(&mut Rng::seed(2));
    bencher.bench_local(|| {
        model.zero_grad();
        model.forward(black_box(&x)).mse(&y).backward();
        optimizer.step(&mut model);
    });
}

/// 2-16-16-1, batch 32, mean squared error.
#[divan::bench]
fn tiny_mlp_sgd(bencher: Bencher) {
    let mut model = tiny();
    let mut optimizer = Sgd::new(&model, SgdConfig::default());
    let x = Tensor::<2, shape![32, 2]>::randn(&mut Rng::seed(1));
    let y = Tensor::<2, (Dim<32>, Dim<1>)>::randn(&mut Rng::seed(2));
    bencher.bench_local(|| {
        model.zero_grad();
        model.forward(black_box(&x)).mse(&y).backward();
        optimizer.step(&mut model);
    });
}

/// 784-128-10, batch 64, cross-entropy.
#[divan::bench]
fn mnist_mlp_adam(bencher: Bencher) {
    let rng = &mut Rng::seed(0);
    let mut model = (
        Linear::<784, 128>::new(rng),
        Relu,
        Linear::<128, 10>::new(rng),
    );
    let mut optimizer = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![64, 784]>::randn(rng);
    let labels = Indices::<1, shape![64], 10>::from_vec((0..64).map(|i| i % 10).collect()).unwrap();
    bencher.bench_local(|| {
        model.zero_grad();
        model
            .forward(black_box(&x))
            .cross_entropy(&labels)
            .backward();
        optimizer.step(&mut model);
    });
}
