//! Starting values for parameters.
//!
//! Fan-in and fan-out are counted as PyTorch does: for a weight `(out, in, k…)` they are `in` and `out`
//! times the product of the `k`. All are plain functions that return a tensor:
//!
//! ```
//! use shapeproof::nn::init::{self, Gain};
//! use shapeproof::prelude::*;
//!
//! let weight: Param<2, shape![3, 5]> = Param::new(init::xavier_uniform(Gain::Linear, &mut Rng::seed(0)));
//! assert!(weight.iter().all(|w| w.abs() <= (6.0f32 / 8.0).sqrt()));
//! ```

use crate::element::{Element, count};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// By how much an activation shrinks its input, made up for by larger weights (PyTorch's `calculate_gain`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// 1: linear layers, convolutions, sigmoid.
    Linear,
    /// 5/3.
    Tanh,
    /// √2.
    Relu,
    /// √(2/(1 + slope²)).
    LeakyRelu {
        /// The slope below 0.
        slope: f64,
    },
    /// 3/4.
    Selu,
}

impl Gain {
    /// The factor.
    pub fn value(self) -> f64 {
        match self {
            Gain::Linear => 1.0,
            Gain::Tanh => 5.0 / 3.0,
            Gain::Relu => std::f64::consts::SQRT_2,
            Gain::LeakyRelu { slope } => (2.0 / (1.0 + slope * slope)).sqrt(),
            Gain::Selu => 0.75,
        }
    }
}

/// Inputs and outputs of each unit of a weight of these sizes.
#[track_caller]
fn fans(dims: &[usize]) -> (usize, usize) {
    let [outputs, inputs, kernel @ ..] = dims else {
        panic!("fan-in and fan-out need a weight of at least two axes, not one of shape {dims:?}")
    };
    let area: usize = kernel.iter().product();
    (inputs * area, outputs * area)
}

fn root<E: Element>(x: f64) -> E {
    E::of(x.sqrt())
}

/// Uniform in ±gain·√(3/fan-in) (He et al. 2015).
///
/// # Panics
/// If the weight has fewer than two axes.
#[track_caller]
pub fn kaiming_uniform<const R: usize, S: Shape<R>, E: Element>(
    gain: Gain,
    rng: &mut impl rand_core::Rng,
) -> Tensor<R, S, E> {
    let (inputs, _) = fans(S::DIMS);
    let bound = E::of(gain.value()) * root(3.0 / inputs as f64);
    Tensor::uniform(-bound, bound, rng)
}

/// Normal with standard deviation gain/√fan-in (He et al. 2015).
///
/// # Panics
/// If the weight has fewer than two axes.
#[track_caller]
pub fn kaiming_normal<const R: usize, S: Shape<R>, E: Element>(
    gain: Gain,
    rng: &mut impl rand_core::Rng,
) -> Tensor<R, S, E> {
    let (inputs, _) = fans(S::DIMS);
    Tensor::normal(
        E::zero(),
        E::of(gain.value()) / count::<E>(inputs).sqrt(),
        rng,
    )
}

/// Uniform in ±gain·√(6/(fan-in + fan-out)) (Glorot & Bengio 2010).
///
/// # Panics
/// If the weight has fewer than two axes.
#[track_caller]
pub fn xavier_uniform<const R: usize, S: Shape<R>, E: Element>(
    gain: Gain,
    rng: &mut impl rand_core::Rng,
) -> Tensor<R, S, E> {
    let (inputs, outputs) = fans(S::DIMS);
    let bound = E::of(gain.value()) * root(6.0 / (inputs + outputs) as f64);
    Tensor::uniform(-bound, bound, rng)
}

/// Normal with standard deviation gain·√(2/(fan-in + fan-out)) (Glorot & Bengio 2010).
///
/// # Panics
/// If the weight has fewer than two axes.
#[track_caller]
pub fn xavier_normal<const R: usize, S: Shape<R>, E: Element>(
    gain: Gain,
    rng: &mut impl rand_core::Rng,
) -> Tensor<R, S, E> {
    let (inputs, outputs) = fans(S::DIMS);
    Tensor::normal(
        E::zero(),
        E::of(gain.value()) * root(2.0 / (inputs + outputs) as f64),
        rng,
    )
}
