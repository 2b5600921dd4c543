//! Adam, and Adam with decoupled weight decay.

use super::{Optimizer, Place, check, each_gradient, places};
use crate::element::Element;
use crate::kernel::{Adaption, adapt, adapt_to_largest};
use crate::nn::Module;
use crate::ops::Engine;
use crate::storage::Buffer;
use std::marker::PhantomData;

/// What the optimizer remembers of one parameter.
#[derive(Clone, Debug)]
pub struct Moments<E: Element> {
    /// Steps taken with a gradient.
    steps: i32,
    /// Running mean of gradients.
    mean: Buffer<E>,
    /// Running mean of squared gradients.
    square: Buffer<E>,
    /// The largest `square` so far, with `amsgrad`.
    largest: Option<Buffer<E>>,
}

/// Where weight decay acts.
#[derive(Clone, Copy, PartialEq)]
enum Decay {
    /// Added to the gradient.
    Coupled,
    /// Taken off the parameter.
    Decoupled,
}

macro_rules! adam {
    (
        $(#[$doc:meta])* $Adam:ident,
        $(#[$config_doc:meta])* $Config:ident,
        $(#[$decay_doc:meta])* decay $decay:literal $kind:ident
    ) => {
        $(#[$config_doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $Config {
            /// The learning rate; 1e-3 unless told.
            pub lr: f64,
            /// How much of the running means of gradients and of their squares is kept in each step; 0.9
            /// and 0.999 unless told.
            pub betas: (f64, f64),
            /// Added to the denominator; 1e-8 unless told.
            pub eps: f64,
            $(#[$decay_doc])*
            pub weight_decay: f64,
            /// Divide by the largest running mean of squares so far, not by the last; off unless told.
            pub amsgrad: bool,
            /// Climb instead of descend; off unless told.
            pub maximize: bool,
        }

        impl Default for $Config {
            fn default() -> Self {
                $Config {
                    lr: 1e-3,
                    betas: (0.9, 0.999),
                    eps: 1e-8,
                    weight_decay: $decay,
                    amsgrad: false,
                    maximize: false,
                }
            }
        }

        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $Adam<M, E: Element = f32> {
            /// The settings; they may be changed between steps.
            pub config: $Config,
            moments: Vec<Place<Moments<E>>>,
            model: PhantomData<fn(&mut M)>,
        }

        impl $Config {
            fn hyper(&self) -> Hyper {
                let $Config { lr, betas, eps, weight_decay, amsgrad, maximize } = *self;
                Hyper { lr, betas, eps, weight_decay, amsgrad, maximize, decay: Decay::$kind }
            }
        }

        impl<M: Module<E>, E: Element> Optimizer<M> for $Adam<M, E> {
            #[track_caller]
            fn step(&mut self, model: &mut M) {
                $Adam::step(self, model);
            }
        }
    };
}

adam! {
    /// Adam (Kingma & Ba 2014). PyTorch: `Adam`.
    ///
    /// In step t: g ← g + `weight_decay`·p; m ← β₁·m + (1 − β₁)·g; v ← β₂·v + (1 − β₂)·g²;
    /// p ← p − `lr`/(1 − β₁ᵗ) · m/(√v/√(1 − β₂ᵗ) + `eps`). Each parameter counts its own steps.
    ///
    /// ```
    /// use shapeproof::optim::AdamConfig;
    /// use shapeproof::prelude::*;
    ///
    /// let mut w = Param::<0, shape![]>::zeros();
    /// let mut optimizer = Adam::new(&w, AdamConfig { lr: 0.1, ..Default::default() });
    /// (&w * 1.0).backward();
    /// optimizer.step(&mut w);
    /// assert!((w.item() + 0.1).abs() < 1e-6);
    /// ```
    Adam,
    /// Settings of [`Adam`]; the defaults are PyTorch's.
    AdamConfig,
    /// This multiple of the parameter is added to its gradient; 0 unless told.
    decay 0.0 Coupled
}

adam! {
    /// Adam with decoupled weight decay (Loshchilov & Hutter 2017). PyTorch: `AdamW`.
    ///
    /// First p ← p·(1 − `lr`·`weight_decay`); then [`Adam`]'s step with no decay in the gradient.
    ///
    /// ```
    /// use shapeproof::optim::AdamWConfig;
    /// use shapeproof::prelude::*;
    ///
    /// let mut w = Param::<0, shape![]>::ones();
    /// let config = AdamWConfig { lr: 0.1, weight_decay: 0.1, ..Default::default() };
    /// let mut optimizer = AdamW::new(&w, config);
    /// (&w * 0.5).backward();
    /// optimizer.step(&mut w);
    /// assert!((w.item() - 0.89).abs() < 1e-6);
    /// ```
    AdamW,
    /// Settings of [`AdamW`]; the defaults are PyTorch's.
    AdamWConfig,
    /// How fast parameters shrink, in units of the learning rate; 1e-2 unless told.
    decay 1e-2 Decoupled
}

// Not by the macro: what an error shows of it would fill a screen.
impl<M: Module<E>, E: Element> Adam<M, E> {
    /// An optimizer for models of this type.
    ///
    /// # Panics
    /// If a setting is out of range: a negative rate, eps or decay, or a beta outside `0.0..1.0`.
    /// If the model lists a parameter twice.
    #[track_caller]
    pub fn new(model: &M, config: AdamConfig) -> Self {
        config.hyper().check();
        Adam {
            config,
            moments: places(model),
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
        step(self.config.hyper(), &mut self.moments, model);
    }
}

impl<M: Module<E>, E: Element> AdamW<M, E> {
    /// An optimizer for models of this type.
    ///
    /// # Panics
    /// If a setting is out of range: a negative rate, eps or decay, or a beta outside `0.0..1.0`.
    /// If the model lists a parameter twice.
    #[track_caller]
    pub fn new(model: &M, config: AdamWConfig) -> Self {
        config.hyper().check();
        AdamW {
            config,
            moments: places(model),
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
        step(self.config.hyper(), &mut self.moments, model);
    }
}

/// The settings of either form.
struct Hyper {
    lr: f64,
    betas: (f64, f64),
    eps: f64,
    weight_decay: f64,
    amsgrad: bool,
    maximize: bool,
    decay: Decay,
}

impl Hyper {
    #[track_caller]
    fn check(&self) {
        check(self.lr >= 0.0, "lr", self.lr, "0 or more");
        check(self.eps >= 0.0, "eps", self.eps, "0 or more");
        check(
            self.weight_decay >= 0.0,
            "weight_decay",
            self.weight_decay,
            "0 or more",
        );
        for beta in [self.betas.0, self.betas.1] {
            check((0.0..1.0).contains(&beta), "a beta", beta, "in 0..1");
        }
    }
}

/// What all parameters' steps have in common.
pub struct Rates<E> {
    /// Apart from what depends on the number of steps.
    by: Adaption<E>,
    eps: f64,
    lr: f64,
    betas: (f64, f64),
    amsgrad: bool,
}

#[track_caller]
fn step<E: Element, M: Module<E>>(hyper: Hyper, state: &mut [Place<Moments<E>>], model: &mut M) {
    let (added, kept) = match hyper.decay {
        Decay::Coupled => (hyper.weight_decay, 1.0),
        Decay::Decoupled => (0.0, 1.0 - hyper.lr * hyper.weight_decay),
    };
    let by = Adaption {
        sign: E::of(if hyper.maximize { -1.0 } else { 1.0 }),
        decay: E::of(added),
        kept: E::of(kept),
        take1: E::of(1.0 - hyper.betas.0),
        keep2: E::of(hyper.betas.1),
        take2: E::of(1.0 - hyper.betas.1),
        size: E::zero(),
        eps: E::zero(),
    };
    let rates = Rates {
        by,
        eps: hyper.eps,
        lr: hyper.lr,
        betas: hyper.betas,
        amsgrad: hyper.amsgrad,
    };
    each_gradient(model, state, |state, parameter, grad| {
        let moments = state.get_or_insert_with(|| Moments {
            steps: 0,
            mean: Buffer::filled(grad.len(), E::zero()),
            square: Buffer::filled(grad.len(), E::zero()),
            largest: None,
        });
        <E::Ops as Engine<E>>::adam(&rates, moments, parameter.values_mut(), grad);
    });
}

/// One parameter's step.
pub(crate) fn update<E: Element>(
    rates: &Rates<E>,
    moments: &mut Moments<E>,
    values: &mut [E],
    grad: &[E],
) {
    moments.steps += 1;
    // Corrections for the zeros that the running means started from.
    let root = (1.0 - rates.betas.1.powi(moments.steps)).sqrt();
    // Both sides of the quotient times the root of the second: one division less for each element.
    let size = rates.lr / (1.0 - rates.betas.0.powi(moments.steps)) * root;
    let by = Adaption {
        size: E::of(size),
        eps: E::of(rates.eps * root),
        ..rates.by
    };
    let (mean, square) = (moments.mean.make_mut(), moments.square.make_mut());
    if rates.amsgrad {
        let largest = moments
            .largest
            .get_or_insert_with(|| Buffer::filled(grad.len(), E::zero()));
        adapt_to_largest(&by, values, [mean, square, largest.make_mut()], grad);
    } else {
        adapt(&by, values, [mean, square], grad);
    }
}
