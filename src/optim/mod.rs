//! Optimizers: they change a model's parameters by their gradients.
//!
//! An optimizer is made for one type of model, and keeps one set of buffers for each parameter, allocated
//! once, at the first step that has a gradient for it. Formulas, defaults and the order of operations are
//! PyTorch's.
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
//! Settings may be changed between steps, which is all that a schedule of learning rates needs, and gradients between
//! `backward` and a step, which is where they are [clipped](crate::nn::Module::clip_grad_norm):
//!
//! ```
//! use shapeproof::optim::SgdConfig;
//! use shapeproof::prelude::*;
//! use std::f64::consts::PI;
//!
//! let mut model = Linear::<2, 1>::new(&mut Rng::seed(0));
//! let mut optimizer = Sgd::new(&model, SgdConfig { momentum: 0.9, ..Default::default() });
//! let (x, y) = (Tensor::from([[0.0, 1.0], [1.0, 0.0]]), Tensor::from([[1.0], [-1.0]]));
//! for epoch in 0..20 {
//!     optimizer.config.lr = 0.1 * (1.0 + (PI * epoch as f64 / 20.0).cos()) / 2.0; // half a cosine, from 0.1 to 0
//!     model.zero_grad();
//!     model.forward(&x).mse(&y).backward();
//!     model.clip_grad_norm(1.0);
//!     optimizer.step(&mut model);
//! }
//! # assert!(model.forward(&x).mse(&y).item() < 0.5);
//! ```
//!
//! Several optimizers, each for a part of a model, give the parts settings of their own.
//!
//! A parameter without a gradient is skipped: its value, momentum and step count stay as they are. That
//! is not the same as a gradient of zeros, which momentum and weight decay act on;
//! [`zero_grad`](crate::nn::Module::zero_grad) removes gradients, so what a step does not reach is skipped.
//! If no parameter has a gradient, a step panics: something was forgotten.

mod adam;
mod sgd;

pub use adam::{Adam, AdamConfig, AdamW, AdamWConfig};
pub(crate) use adam::{Moments, Rates, update as adam};
pub(crate) use sgd::update as sgd;
pub use sgd::{Sgd, SgdConfig};

use crate::element::Element;
use crate::nn::{Module, ParameterMut};
use crate::shape::Dims;
use crate::storage::Buffer;
use std::collections::HashMap;

/// What all optimizers of a model `M` can do.
pub trait Optimizer<M> {
    /// Changes every parameter that has a gradient.
    ///
    /// # Panics
    /// If no parameter has one, or the model's parameters are not as many and as large as when the optimizer
    /// was made. Nothing has been changed then.
    fn step(&mut self, model: &mut M);
}

/// What is remembered of one parameter.
#[derive(Clone, Debug)]
struct Place<T> {
    dims: Dims,
    held: Option<T>,
}

/// Calls `update` with what is remembered, the parameter and the gradient of every parameter that has one.
#[track_caller]
fn each_gradient<E: Element, M: Module<E>, T>(
    model: &mut M,
    places: &mut [Place<T>],
    mut update: impl FnMut(&mut Option<T>, &mut ParameterMut<'_, E>, &Buffer<E>),
) {
    check_model(model, places);
    let mut places = places.iter_mut();
    model.visit_mut("", &mut |_, mut parameter| {
        if let (Some(place), Some(grad)) = (places.next(), parameter.grad_buffer()) {
            update(&mut place.held, &mut parameter, &grad);
        }
    });
}

/// Refuses a model that is not as it was, before anything is changed.
#[track_caller]
fn check_model<E: Element, M: Module<E>, T>(model: &M, places: &[Place<T>]) {
    let (mut number, mut found, mut other) = (0, false, None);
    model.visit("", &mut |name, parameter| {
        found |= parameter.has_grad();
        if let Some(place) = places.get(number)
            && place.dims != parameter.dims()
        {
            other.get_or_insert_with(|| (name.to_string(), parameter.dims(), place.dims));
        }
        number += 1;
    });
    let known = places.len();
    assert!(
        number == known,
        "optimizer step: the model has {number} parameters, but had {known} when the optimizer was made"
    );
    if let Some((name, now, then)) = other {
        panic!(
            "optimizer step: parameter `{name}` has the sizes {now:?}, but had {then:?} when the optimizer was made"
        );
    }
    assert!(
        found || number == 0,
        "optimizer step: none of the {number} parameters has a gradient; call `backward` on a loss that depends on them first"
    );
}

/// A place for what is remembered of each parameter of a model.
///
/// # Panics
/// If the model lists a parameter twice.
#[track_caller]
fn places<E: Element, M: Module<E>, T>(model: &M) -> Vec<Place<T>> {
    let (mut places, mut names, mut twice) = (Vec::new(), HashMap::new(), None);
    model.visit("", &mut |name, parameter| {
        places.push(Place {
            dims: parameter.dims(),
            held: None,
        });
        if let Some(first) = names.insert(parameter.id(), name.to_string()) {
            twice = Some((first, name.to_string()));
        }
    });
    if let Some((first, second)) = twice {
        panic!(
            "optimizer: the model lists a parameter twice, as `{first}` and as `{second}`; a step would change it twice"
        );
    }
    places
}

/// Refuses a setting that is out of range.
#[track_caller]
fn check(holds: bool, setting: &str, value: f64, range: &str) {
    assert!(
        holds,
        "optimizer: {setting} is {value}, which is not {range}"
    );
}
