//! Stochastic gradient descent.

use super::{Optimizer, Place, check, each_gradient, places};
use crate::element::Element;
use crate::kernel::{Descent, descend, descend_with_momentum};
use crate::nn::Module;
use crate::ops::Engine;
use crate::storage::Buffer;
use std::marker::PhantomData;

/// Settings of [`Sgd`]; the defaults are PyTorch's.
#[derive(Clone, Debug, PartialEq)]
pub struct SgdConfig {
    /// The learning rate; 1e-3 unless told.
    pub lr: f64,
    /// How much of the last step's direction is kept; 0 unless told.
    pub momentum: f64,
    /// What part of the gradient the momentum buffer leaves out, from the second step on; 0 unless told.
    pub dampening: f64,
    /// This multiple of the parameter is added to its gradient; 0 unless told.
    pub weight_decay: f64,
    /// Nesterov's momentum: look ahead along the momentum; off unless told.
    pub nesterov: bool,
    /// Climb instead of descend; off unless told.
    pub maximize: bool,
}

impl Default for SgdConfig {
    fn default() -> Self {
        SgdConfig {
            lr: 1e-3,
            momentum: 0.0,
            dampening: 0.0,
            weight_decay: 0.0,
            nesterov: false,
            maximize: false,
        }
    }
}

/// Stochastic gradient descent with momentum, Nesterov's momentum and weight decay. PyTorch: `SGD`.
///
/// In this order: g ← −g if `maximize`; g ← g + `weight_decay`·p; with momentum, buf ← g in the first step
/// (not dampened) and buf ← `momentum`·buf + (1 − `dampening`)·g after, then g ← g + `momentum`·buf for
/// Nesterov and g ← buf otherwise; p ← p − `lr`·g.
///
/// ```
/// use shapeproof::optim::SgdConfig;
/// use shapeproof::prelude::*;
///
/// let mut w = Param::<0, shape![]>::new(Tensor::scalar(1.0));
/// let mut optimizer = Sgd::new(&w, SgdConfig { lr: 0.1, ..Default::default() });
/// w.square().backward();
/// optimizer.step(&mut w);
/// assert_eq!(w.item(), 0.8);
/// ```
#[derive(Clone, Debug)]
pub struct Sgd<M, E: Element = f32> {
    /// The settings; they may be changed between steps.
    pub config: SgdConfig,
    momentum: Vec<Place<Buffer<E>>>,
    model: PhantomData<fn(&mut M)>,
}

impl<M: Module<E>, E: Element> Sgd<M, E> {
    /// An optimizer for models of this type.
    ///
    /// # Panics
    /// If a setting is out of range: a negative rate, momentum or decay, or Nesterov without momentum or
    /// with dampening. If the model lists a parameter twice.
    #[track_caller]
    pub fn new(model: &M, config: SgdConfig) -> Self {
        check(config.lr >= 0.0, "lr", config.lr, "0 or more");
        check(
            config.momentum >= 0.0,
            "momentum",
            config.momentum,
            "0 or more",
        );
        check(
            config.weight_decay >= 0.0,
            "weight_decay",
            config.weight_decay,
            "0 or more",
        );
        if config.nesterov {
            check(
                config.momentum > 0.0,
                "momentum",
                config.momentum,
                "above 0, as nesterov needs",
            );
            check(
                config.dampening == 0.0,
                "dampening",
                config.dampening,
                "0, as nesterov needs",
            );
        }
        Sgd {
            config,
            momentum: places(model),
            model: PhantomData,
        }
    }

    /// Changes every parameter that has a gradient.
    ///
    /// # Panics
    /// If no parameter has one, or the model's parameters are not as many and as large as at first. Nothing has
    /// been changed then.
    #[track_caller]
    pub fn step(&mut self, model: &mut M) {
        let descent = Descent::of(&self.config);
        each_gradient(model, &mut self.momentum, |momentum, parameter, grad| {
            <E::Ops as Engine<E>>::sgd(&descent, momentum, parameter.values_mut(), grad);
        });
    }
}

impl<E: Element> Descent<E> {
    fn of(config: &SgdConfig) -> Self {
        Descent {
            sign: E::of(if config.maximize { -1.0 } else { 1.0 }),
            lr: E::of(config.lr),
            decay: E::of(config.weight_decay),
            keep: E::of(config.momentum),
            take: E::of(1.0 - config.dampening),
            ahead: config.nesterov.then(|| E::of(config.momentum)),
        }
    }
}

/// One parameter's step.
pub(crate) fn update<E: Element>(
    by: &Descent<E>,
    momentum: &mut Option<Buffer<E>>,
    values: &mut [E],
    grad: &[E],
) {
    if by.keep == E::zero() {
        return descend(by, values, grad);
    }
    let mut by = *by;
    let buffer = momentum.get_or_insert_with(|| {
        // The first step takes the gradient undampened.
        by.take = E::one();
        Buffer::filled(grad.len(), E::zero())
    });
    descend_with_momentum(&by, values, buffer.make_mut(), grad);
}

impl<M: Module<E>, E: Element> Optimizer<M> for Sgd<M, E> {
    #[track_caller]
    fn step(&mut self, model: &mut M) {
        Sgd::step(self, model);
    }
}
