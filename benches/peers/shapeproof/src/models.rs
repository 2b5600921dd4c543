//! Models and a step of their training, which returns the loss before it.

use crate::{tensor, tensor_of};
use peer_measure::{labels, weight};
use shapeproof::nn::{Conv2d, Flatten, Layer, MaxPool2d, Relu, Tanh};
use shapeproof::optim::{AdamConfig, SgdConfig};
use shapeproof::prelude::*;
use shapeproof::shape::Pool;

type Loss = Tensor<0, ()>;

fn descent() -> SgdConfig {
    SgdConfig {
        lr: 0.01,
        ..Default::default()
    }
}

pub fn linear<const I: usize, const O: usize>(seed: u32) -> Linear<I, O> {
    Linear {
        weight: Param::new(tensor_of(weight(seed, O, I))),
        bias: Param::zeros(),
    }
}

fn conv<const I: usize, const O: usize>(seed: u32) -> Conv2d<I, O, 5> {
    Conv2d {
        weight: Param::new(tensor(seed, ((I * 25) as f32).sqrt().recip())),
        bias: Param::zeros(),
        way: Default::default(),
    }
}

type Tiny = (Linear<2, 16>, Tanh, Linear<16, 16>, Tanh, Linear<16, 1>);

pub fn tiny() -> impl FnMut() -> Loss {
    let model = tiny_model();
    let mut adam = Adam::new(&model, AdamConfig::default());
    tiny_by(model, move |model| adam.step(model))
}

pub fn tiny_sgd() -> impl FnMut() -> Loss {
    let model = tiny_model();
    let mut sgd = Sgd::new(&model, descent());
    tiny_by(model, move |model| sgd.step(model))
}

fn tiny_model() -> Tiny {
    (linear(1), Tanh, linear(2), Tanh, linear(3))
}

fn tiny_by(mut model: Tiny, mut update: impl FnMut(&mut Tiny)) -> impl FnMut() -> Loss {
    let x = tensor::<2, shape![32, 2]>(4, 1.0);
    let y = tensor::<2, (Dim<32>, Dim<1>)>(5, 1.0);
    move || {
        model.zero_grad();
        let loss = model.forward(&x).mse(&y);
        loss.backward();
        update(&mut model);
        loss
    }
}

/// A step of a classifier's training on one batch.
fn classifier<const B: usize, const R: usize, S, M>(
    mut model: M,
    x: Tensor<R, S>,
    mut update: impl FnMut(&mut M),
) -> impl FnMut() -> Loss
where
    S: shapeproof::shape::Shape<R>,
    M: Module + Layer<Tensor<R, S>, Output = Tensor<2, shape![B, 10]>>,
{
    let y = Indices::<1, shape![B], 10>::from_vec(labels(B)).expect("all are below 10");
    move || {
        model.zero_grad();
        let loss = model.forward(&x).cross_entropy(&y);
        loss.backward();
        update(&mut model);
        loss
    }
}

pub fn mnist() -> impl FnMut() -> Loss {
    let model = (linear::<784, 128>(1), Relu, linear::<128, 10>(2));
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = tensor::<2, shape![64, 784]>(4, 1.0);
    classifier::<64, _, _, _>(model, x, move |model| adam.step(model))
}

pub fn wide() -> impl FnMut() -> Loss {
    let model = (
        linear::<784, 512>(1),
        Relu,
        linear::<512, 512>(2),
        Relu,
        linear::<512, 10>(3),
    );
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = tensor::<2, shape![128, 784]>(4, 1.0);
    classifier::<128, _, _, _>(model, x, move |model| adam.step(model))
}

pub fn cnn() -> impl FnMut() -> Loss {
    let model = (
        conv::<1, 16>(1),
        Relu,
        MaxPool2d(Pool::<2>),
        conv::<16, 32>(2),
        Relu,
        MaxPool2d(Pool::<2>),
        Flatten::<512>,
        linear::<512, 10>(3),
    );
    let mut sgd = Sgd::new(&model, descent());
    let x = tensor::<4, shape![64, 1, 28, 28]>(4, 1.0);
    classifier::<64, _, _, _>(model, x, move |model| sgd.step(model))
}
