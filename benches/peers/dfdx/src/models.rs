//! Models and a step of their training, which returns the loss before it.

use crate::{Array, tensor, tensor_of};
use dfdx::data::OneHotEncode;
use dfdx::nn::modules::{Linear, ReLU, Tanh};
use dfdx::optim::{Adam, Sgd};
use dfdx::prelude::*;
use peer_measure::{labels, weight};

type Loss = Array<Rank0>;
type Tiny = (
    (Linear<2, 16, f32, Cpu>, Tanh),
    (Linear<16, 16, f32, Cpu>, Tanh),
    Linear<16, 1, f32, Cpu>,
);

fn linear<const I: usize, const O: usize>(seed: u32) -> Linear<I, O, f32, Cpu> {
    Linear {
        weight: tensor_of(weight(seed, O, I)),
        bias: Cpu::default().zeros(),
    }
}

/// A step of training. dfdx writes each step's gradients where those of the step before were.
fn training<M, X, Y>(
    mut model: M,
    x: X,
    loss: impl Fn(Y) -> Tensor<Rank0, f32, Cpu, OwnedTape<f32, Cpu>>,
    mut optimizer: impl Optimizer<M, Cpu, f32>,
) -> impl FnMut() -> Loss
where
    M: Module<X::Traced, Output = Y> + ZeroGrads<f32, Cpu>,
    X: Trace<f32, Cpu>,
{
    let mut held = Some(model.alloc_grads());
    move || {
        let grads = held.take().expect("each step leaves them");
        let loss = loss(model.forward(x.trace(grads)));
        let value = loss.retaped::<NoneTape>();
        let mut grads = loss.backward();
        let updated = optimizer.update(&mut model, &grads);
        updated.expect("all parameters are used");
        model.zero_grads(&mut grads);
        held = Some(grads);
        value
    }
}

fn tiny_by<O: Optimizer<Tiny, Cpu, f32>>(
    optimizer: impl FnOnce(&Tiny) -> O,
) -> impl FnMut() -> Loss {
    let model = ((linear(1), Tanh), (linear(2), Tanh), linear(3));
    let optimizer = optimizer(&model);
    let y = tensor::<Rank2<32, 1>>(5, 1.0);
    let loss = move |out| mse_loss(out, y.clone());
    training(model, tensor::<Rank2<32, 2>>(4, 1.0), loss, optimizer)
}

pub fn tiny() -> impl FnMut() -> Loss {
    tiny_by(|model| Adam::new(model, Default::default()))
}

pub fn tiny_sgd() -> impl FnMut() -> Loss {
    tiny_by(|model| Sgd::new(model, Default::default()))
}

/// dfdx takes probabilities for targets.
fn targets<const B: usize>() -> Array<Rank2<B, 10>> {
    Cpu::default()
        .one_hot_encode(Const::<10>, labels(B))
        .realize()
}

pub fn mnist() -> impl FnMut() -> Loss {
    let model = ((linear::<784, 128>(1), ReLU), linear::<128, 10>(2));
    let optimizer = Adam::new(&model, Default::default());
    let y = targets::<64>();
    let loss = move |out| cross_entropy_with_logits_loss(out, y.clone());
    training(model, tensor::<Rank2<64, 784>>(4, 1.0), loss, optimizer)
}

pub fn wide() -> impl FnMut() -> Loss {
    let model = (
        (linear::<784, 512>(1), ReLU),
        (linear::<512, 512>(2), ReLU),
        linear::<512, 10>(3),
    );
    let optimizer = Adam::new(&model, Default::default());
    let y = targets::<128>();
    let loss = move |out| cross_entropy_with_logits_loss(out, y.clone());
    training(model, tensor::<Rank2<128, 784>>(4, 1.0), loss, optimizer)
}
