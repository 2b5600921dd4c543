//! Optimizers: they change a model's parameters by their gradients.
//!
//! An optimizer is made for one type of model, and keeps one set of buffers for each parameter, allocated
//! once, at the first step that has a gradient for it. Formulas, defaults and the order of operations are
//! PyTorch's. Settings may be changed between steps: `optimizer.config.lr *= 0.5`.
//!
//! ```
//! use shapeproof::optim::AdamConfig;
//! use shapeproof::prelude::*;
//!
//! let mut model = Linear::<2, 1>::new(&mut Rng::seed(0));
//! let mut optimizer = Adam::new(&model, AdamConfig { lr: 0.1, ..Default::default() });
//! let x = Tensor::from([[0.0, 1.0], [1.0, 0.0]]);
//! let loss = |model: &Linear<2, 1>| model.forward(&x).square().mean();
//! let before = loss(&model).item();
//! for _ in 0..3 {
//!     model.zero_grad();
//!     loss(&model).backward();
//!     optimizer.step(&mut model);
//! }
//! assert!(loss(&model).item() < before);
//! ```
//!
//! A parameter without a gradient is skipped: its value, momentum and step count stay as they are. That
//! is not the same as a gradient of zeros, which momentum and weight decay act on;
//! [`zero_grad`](crate::nn::Module::zero_grad) removes gradients, so what a step does not reach is skipped.
//! If no parameter has a gradient, a step panics: something was forgotten.

mod adam;
mod sgd;

pub use adam::{Adam, AdamConfig, AdamW, AdamWConfig};
pub(crate) use adam::{Moments, Rates, update as adam};
pub(crate) use sgd::{Descent, update as sgd};
pub use sgd::{Sgd, SgdConfig};

use crate::element::Element;
use crate::nn::{Module, ParameterMut};
use crate::storage::Buffer;

/// What all optimizers of a model `M` can do.
pub trait Optimizer<M> {
    /// Changes every parameter that has a gradient.
    ///
    /// # Panics
    /// If no parameter has one.
    fn step(&mut self, model: &mut M);
}

/// Calls `update` with the number, the parameter and the gradient of every parameter that has one.
#[track_caller]
fn each_gradient<E: Element, M: Module<E>>(
    model: &mut M,
    mut update: impl FnMut(usize, &mut ParameterMut<'_, E>, &Buffer<E>),
) {
    let (mut number, mut found) = (0, false);
    model.visit_mut("", &mut |_, mut parameter| {
        if let Some(grad) = parameter.grad_buffer() {
            found = true;
            update(number, &mut parameter, &grad);
        }
        number += 1;
    });
    assert!(
        found || number == 0,
        "optimizer step: none of the {number} parameters has a gradient; call `backward` on a loss that depends on them first"
    );
}

/// The number of parameters of a model.
fn parameters<E: Element, M: Module<E>>(model: &M) -> usize {
    let mut number = 0;
    model.visit("", &mut |_, _| number += 1);
    number
}

/// Refuses a setting that is out of range.
#[track_caller]
fn check(holds: bool, setting: &str, value: f64, range: &str) {
    assert!(
        holds,
        "optimizer: {setting} is {value}, which is not {range}"
    );
}
