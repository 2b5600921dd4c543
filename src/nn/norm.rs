//! The layer that brings each example's features to one scale.

use super::{Features, Layer, Module};
use crate::element::Element;
use crate::shape::{Axis, Dim};
use crate::tensor::{Param, Tensor};

/// (x − mean)/√(variance + `eps`)·weight + bias over the `N` features of the last axis. PyTorch: `LayerNorm(N)`.
///
/// The input is one example `(N,)`, a batch `(B, N)`, or a batch of sequences `(A, B, N)`; see
/// [`layer_norm`](Tensor::layer_norm).
///
/// ```
/// use shapeproof::nn::LayerNorm;
/// use shapeproof::prelude::*;
///
/// let layer = LayerNorm::<2> { eps: 0.0, ..LayerNorm::new() };
/// let y = layer.forward(&Tensor::from([[1.0, 3.0], [50.0, 10.0]]));
/// assert_eq!(y.to_array(), [[-1.0, 1.0], [1.0, -1.0]]);
/// ```
#[derive(Clone, Debug)]
pub struct LayerNorm<const N: usize, E: Element = f32> {
    /// What each feature is multiplied by, of shape `(N,)`.
    pub weight: Param<1, (Dim<N>,), E>,
    /// What is added to each feature, of shape `(N,)`.
    pub bias: Param<1, (Dim<N>,), E>,
    /// What is added to the variance, so that constant examples become 0.
    pub eps: E,
}

impl<const N: usize, E: Element> LayerNorm<N, E> {
    /// A weight of 1, a bias of 0 and an `eps` of 1e-5, as in PyTorch.
    pub fn new() -> Self {
        LayerNorm {
            weight: Param::ones(),
            bias: Param::zeros(),
            eps: E::of(1e-5),
        }
    }
}

impl<const N: usize, E: Element> Default for LayerNorm<N, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, E: Element> Module<E> for LayerNorm<N, E> {
    crate::fields!(E: weight, bias);
}

// `F: Features<N>` is `Dim<N>`, which the compiler does not see in generic code.

impl<F: Features<N>, const N: usize, E: Element> Layer<Tensor<1, (F,), E>> for LayerNorm<N, E> {
    type Output = Tensor<1, (Dim<N>,), E>;
    fn forward(&self, input: &Tensor<1, (F,), E>) -> Self::Output {
        let lines = Self::Output::from_raw(input.layer_norm::<0>(self.eps).raw);
        lines * &self.weight + &self.bias
    }
}

impl<B: Axis, F: Features<N>, const N: usize, E: Element> Layer<Tensor<2, (B, F), E>>
    for LayerNorm<N, E>
{
    type Output = Tensor<2, (B, Dim<N>), E>;
    fn forward(&self, input: &Tensor<2, (B, F), E>) -> Self::Output {
        let lines = Self::Output::from_raw(input.layer_norm::<1>(self.eps).raw);
        lines * &self.weight + &self.bias
    }
}

impl<A: Axis, B: Axis, F: Features<N>, const N: usize, E: Element> Layer<Tensor<3, (A, B, F), E>>
    for LayerNorm<N, E>
{
    type Output = Tensor<3, (A, B, Dim<N>), E>;
    fn forward(&self, input: &Tensor<3, (A, B, F), E>) -> Self::Output {
        let lines = Self::Output::from_raw(input.layer_norm::<2>(self.eps).raw);
        lines * &self.weight + &self.bias
    }
}
