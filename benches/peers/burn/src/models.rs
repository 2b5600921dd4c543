//! Models and a step of their training, which returns the loss before it.

use crate::{recorded, tensor, variable};
use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn::nn::pool::MaxPool2dConfig;
use burn::nn::{LayerNorm, LayerNormConfig, Linear};
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::tensor::activation::{gelu, relu, tanh};
use burn::tensor::module::attention;
use burn::tensor::{Int, Tensor, TensorData};
use peer_measure::{labels, weight};

type Loss = Tensor<1>;

/// Numbers for the device where models lie.
fn input<const D: usize>(seed: u32, shape: [usize; D]) -> Tensor<D> {
    Tensor::from_data(tensor(seed, shape, 1.0).into_data(), &recorded())
}

/// burn's weight lies transposed.
fn linear(seed: u32, inputs: usize, outputs: usize) -> Linear {
    let weight = crate::tensor_of(weight(seed, outputs, inputs), [outputs, inputs]).transpose();
    Linear {
        weight: Param::from_data(weight.into_data(), &recorded()),
        bias: Some(zeros(outputs)),
    }
}

fn zeros(len: usize) -> Param<Tensor<1>> {
    Param::from_data(TensorData::new(vec![0f32; len], [len]), &recorded())
}

fn conv(seed: u32, inputs: usize, outputs: usize) -> Conv2d {
    let scale = ((inputs * 25) as f32).sqrt().recip();
    let weight = tensor(seed, [outputs, inputs, 5, 5], scale);
    let mut conv = Conv2dConfig::new([inputs, outputs], [5, 5]).init(&recorded());
    conv.weight = Param::from_data(weight.into_data(), &recorded());
    conv.bias = Some(zeros(outputs));
    conv
}

fn adam() -> (ModuleOptimizer, f64) {
    (AdamConfig::new().with_epsilon(1e-8).init(), 1e-3)
}

fn sgd() -> (ModuleOptimizer, f64) {
    (SgdConfig::new().init(), 0.01)
}

/// An optimizer takes a model and returns the next.
fn training<M: Module>(
    model: M,
    loss: impl Fn(&M) -> Loss,
    (mut optimizer, rate): (ModuleOptimizer, f64),
) -> impl FnMut() -> Loss {
    let mut held = Some(model);
    move || {
        let model = held.take().expect("each step leaves the next");
        let loss = loss(&model);
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        held = Some(optimizer.step(rate, model, grads));
        loss
    }
}

/// Layers, and a function between one and the next.
fn forward(layers: &[Linear], between: fn(Tensor<2>) -> Tensor<2>, x: &Tensor<2>) -> Tensor<2> {
    let (last, others) = layers.split_last().expect("at least one layer");
    let hidden = |x, layer: &Linear| between(layer.forward(x));
    last.forward(others.iter().fold(x.clone(), hidden))
}

fn layers(sizes: &[usize]) -> Vec<Linear> {
    let layers = sizes.windows(2).zip(1..);
    layers
        .map(|(size, seed)| linear(seed, size[0], size[1]))
        .collect()
}

fn tiny_by(optimizer: (ModuleOptimizer, f64)) -> impl FnMut() -> Loss {
    let (x, y) = (input(4, [32, 2]), input(5, [32, 1]));
    let loss = move |model: &Vec<Linear>| {
        MseLoss::new().forward(forward(model, tanh, &x), y.clone(), Reduction::Mean)
    };
    training(layers(&[2, 16, 16, 1]), loss, optimizer)
}

pub fn tiny() -> impl FnMut() -> Loss {
    tiny_by(adam())
}

pub fn tiny_sgd() -> impl FnMut() -> Loss {
    tiny_by(sgd())
}

/// The loss of a batch of logits.
fn entropy(batch: usize) -> impl Fn(Tensor<2>) -> Loss {
    let classes: Vec<i64> = labels(batch).into_iter().map(|y| y as i64).collect();
    let y = Tensor::<1, Int>::from_data(TensorData::new(classes, [batch]), &recorded());
    let entropy = CrossEntropyLossConfig::new().init(&recorded());
    move |logits| entropy.forward(logits, y.clone())
}

fn classifier(batch: usize, sizes: &[usize]) -> impl FnMut() -> Loss {
    let (x, entropy) = (input(4, [batch, sizes[0]]), entropy(batch));
    let loss = move |model: &Vec<Linear>| entropy(forward(model, relu, &x));
    training(layers(sizes), loss, adam())
}

pub fn mnist() -> impl FnMut() -> Loss {
    classifier(64, &[784, 128, 10])
}

pub fn wide() -> impl FnMut() -> Loss {
    classifier(128, &[784, 512, 512, 10])
}

pub fn cnn() -> impl FnMut() -> Loss {
    let pool = MaxPool2dConfig::new([2, 2]).with_strides([2, 2]).init();
    let (x, entropy) = (input(4, [64, 1, 28, 28]), entropy(64));
    let loss = move |(first, second, last): &(Conv2d, Conv2d, Linear)| {
        let h = pool.forward(relu(first.forward(x.clone())));
        let h = pool.forward(relu(second.forward(h)));
        entropy(last.forward(h.reshape([64, 512])))
    };
    let model = (conv(1, 1, 16), conv(2, 16, 32), linear(3, 512, 10));
    training(model, loss, sgd())
}

/// A block, forward and backward: the gradients of its input and of its first weight.
pub fn transformer() -> impl FnMut() -> (Tensor<3>, Tensor<2>) {
    let norm = || -> LayerNorm { LayerNormConfig::new(128).init(&recorded()) };
    let (before_attention, before_hidden) = (norm(), norm());
    let (queries_keys_values, attended) = (linear(1, 128, 384), linear(2, 128, 128));
    let (up, down) = (linear(3, 128, 512), linear(4, 512, 128));
    let x = variable(tensor(5, [8, 64, 128], 1.0));
    move || {
        let parts = queries_keys_values.forward(before_attention.forward(x.clone()));
        let mut heads = parts
            .chunk(3, 2)
            .into_iter()
            .map(|part| part.reshape([8, 64, 4, 32]).swap_dims(1, 2));
        let mut head = || heads.next().expect("three parts");
        let (q, k, v) = (head(), head(), head());
        let seen = attention(q, k, v, None, None, Default::default());
        let seen = seen.swap_dims(1, 2).reshape([8, 64, 128]);
        let h = x.clone() + attended.forward(seen);
        let y = h.clone() + down.forward(gelu(up.forward(before_hidden.forward(h))));
        let mut grads = y.square().mean().backward();
        let slope = x.grad_remove(&mut grads).expect("x has a gradient");
        // The weight of the others lies transposed.
        let weight = queries_keys_values.weight.val().grad_remove(&mut grads);
        (slope, weight.expect("it is a parameter").transpose())
    }
}
