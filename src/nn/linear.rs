//! The affine layer.

use super::{Layer, Module, init};
use crate::element::{Element, count};
use crate::shape::{Axis, Dim, Inner};
use crate::tensor::{Param, Tensor};

/// x·Wᵀ + b: from `I` features to `O`. PyTorch: `Linear`.
///
/// The weight has shape `(O, I)`, as in PyTorch. The input is one example `(I,)`, a batch `(B, I)` of any
/// size, or a batch of sequences `(A, B, I)`. With `O` = 1 the result is `(B, Dim<1>)`: against targets `(B,)`,
/// [`squeeze`](Tensor::squeeze) it.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let layer = Linear::<3, 2>::new(&mut Rng::seed(0));
/// assert_eq!(layer.forward(&Tensor::<2, shape![5, 3]>::ones()).dims(), [5, 2]);
/// assert_eq!(layer.forward(&Tensor::<1, shape![3]>::ones()).dims(), [2]);
/// ```
#[derive(Clone, Debug)]
pub struct Linear<const I: usize, const O: usize, E: Element = f32> {
    /// W, of shape `(O, I)`.
    pub weight: Param<2, (Dim<O>, Dim<I>), E>,
    /// b, of shape `(O,)`.
    pub bias: Param<1, (Dim<O>,), E>,
}

impl<const I: usize, const O: usize, E: Element> Linear<I, O, E> {
    /// Weight and bias uniform in ±1/√I, as in PyTorch.
    ///
    /// # Panics
    /// If `I` is 0 and `O` is not: there is no such range.
    #[track_caller]
    pub fn new(rng: &mut impl rand_core::Rng) -> Self {
        let bound = count::<E>(I).sqrt().recip();
        Linear {
            weight: Param::new(Tensor::uniform(-bound, bound, rng)),
            bias: Param::new(Tensor::uniform(-bound, bound, rng)),
        }
    }

    /// Weight by He's initialisation for layers that a relu follows, and a bias of 0.
    ///
    /// The weight is normal with standard deviation √(2/I): see [`init::kaiming_normal`].
    pub fn kaiming(rng: &mut impl rand_core::Rng) -> Self {
        Linear {
            weight: Param::new(init::kaiming_normal(init::Gain::Relu, rng)),
            bias: Param::zeros(),
        }
    }
}

impl<const I: usize, const O: usize, E: Element> Module<E> for Linear<I, O, E> {
    crate::fields!(E: weight, bias);
}

/// The last axis of the input of a layer of `I` features: `Dim<I>`.
///
/// A bound and not the axis itself, so that the compiler says which of the two sizes is another.
#[diagnostic::on_unimplemented(
    message = "the layer takes {I} features, the last axis of its input is `{Self}`",
    label = "{I} features are wanted here, not `{Self}`",
    note = "in a tuple of layers the input of each is the output of the one before"
)]
pub trait Features<const I: usize>: Axis + Inner<Dim<I>> {}
impl<const I: usize> Features<I> for Dim<I> {}

impl<F: Features<I>, const I: usize, const O: usize, E: Element> Layer<Tensor<1, (F,), E>>
    for Linear<I, O, E>
{
    type Output = Tensor<1, (Dim<O>,), E>;
    fn forward(&self, input: &Tensor<1, (F,), E>) -> Self::Output {
        input.linear(&self.weight, &self.bias)
    }
}

impl<B: Axis, F: Features<I>, const I: usize, const O: usize, E: Element>
    Layer<Tensor<2, (B, F), E>> for Linear<I, O, E>
{
    type Output = Tensor<2, (B, Dim<O>), E>;
    fn forward(&self, input: &Tensor<2, (B, F), E>) -> Self::Output {
        input.linear(&self.weight, &self.bias)
    }
}

impl<A: Axis, B: Axis, F: Features<I>, const I: usize, const O: usize, E: Element>
    Layer<Tensor<3, (A, B, F), E>> for Linear<I, O, E>
{
    type Output = Tensor<3, (A, B, Dim<O>), E>;
    fn forward(&self, input: &Tensor<3, (A, B, F), E>) -> Self::Output {
        input.linear(&self.weight, &self.bias)
    }
}
