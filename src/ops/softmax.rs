//! Softmax, its logarithm, the logarithm of sums of exponentials, and layer norm.

use super::compiled::compiled;
use super::reduce::reductions;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Lanes, Pointwise};
use crate::shape::{Dims, HasAxis, Shape, Split};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

compiled! {
    /// Softmax and its kin.
    trait Normalise {
        fn softmax(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn log_softmax(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn logsumexp(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn layer_norm(x: &Raw<E>, split: Split, dims: Dims, eps: E) -> Raw<E>;
    }
}

struct Softmax<E: Element> {
    split: Split,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for Softmax<E> {
    fn name(&self) -> &'static str {
        "softmax"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, kernel::softmax_backward(grad, &self.output, self.split));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("output", Saved::Values(&self.output));
    }
}

fn softmax<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let values = kernel::softmax(&x.values, split);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let output = values.clone();
        parents.record(dims, Softmax { split, output })
    });
    Raw { values, node }
}

struct LogSoftmax<E: Element> {
    split: Split,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for LogSoftmax<E> {
    fn name(&self) -> &'static str {
        "log_softmax"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(
            0,
            kernel::log_softmax_backward(grad, &self.output, self.split),
        );
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("output", Saved::Values(&self.output));
    }
}

pub(super) fn log_softmax<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let values = kernel::log_softmax(&x.values, split);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let output = values.clone();
        parents.record(dims, LogSoftmax { split, output })
    });
    Raw { values, node }
}

struct LayerNorm<E: Element> {
    split: Split,
    output: Buffer<E>,
    /// 1/√(variance + eps) of each line.
    factors: Buffer<E>,
}

impl<E: Element> Rule<E> for LayerNorm<E> {
    fn name(&self) -> &'static str {
        "layer_norm"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(
            0,
            kernel::normalise_backward(grad, &self.output, &self.factors, self.split),
        );
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("output", Saved::Values(&self.output));
        visit("factors", Saved::Values(&self.factors));
    }
}

fn layer_norm<E: Element>(x: &Raw<E>, split: Split, dims: Dims, eps: E) -> Raw<E> {
    let (values, factors) = kernel::normalise(&x.values, split, eps);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let output = values.clone();
        let rule = LayerNorm {
            split,
            output,
            factors,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// eˣ divided by the sum of eˣ along axis `AXIS`. PyTorch: `softmax(dim=AXIS)`.
    ///
    /// Shape `S` to `S`. The largest element is subtracted first, so nothing overflows. A line of nothing
    /// but −∞ is NaN. Gradient y·(g − Σ g·y).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1000.0f32, 1000.0], [0.0, f32::NEG_INFINITY]]);
    /// assert_eq!(x.softmax::<1>().to_array(), [[0.5, 0.5], [1.0, 0.0]]);
    /// ```
    pub fn softmax<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Normalise<E>>::softmax(
            &self.raw,
            S::SPLIT,
            S::DIMS,
        ))
    }

    /// (x − mean)/√(variance + `eps`) along axis `AXIS`. PyTorch: `layer_norm` over one axis, without weight and bias.
    ///
    /// Shape `S` to `S`. The variance is the population's (`var(0)`); a large common offset does no harm. Constant lines
    /// become 0, for a positive `eps`, and a line with a NaN or an infinity NaN. Gradient
    /// (g − mean g − y·mean(g·y))/√(variance + `eps`) (Ba, Kiros & Hinton 2016).
    ///
    /// A gain and a bias join in one loop by [`fuse`](crate::fusion::fuse), or by `* gain + bias`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 3.0], [1e6, 1e6 + 2.0]]);
    /// assert_eq!(x.layer_norm::<1>(0.0).to_array(), [[-1.0, 1.0], [-1.0, 1.0]]);
    /// ```
    pub fn layer_norm<const AXIS: usize>(&self, eps: E) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Normalise<E>>::layer_norm(
            &self.raw,
            S::SPLIT,
            S::DIMS,
            eps,
        ))
    }

    /// The natural logarithm of [`softmax`](Self::softmax), x − ln Σ eˣ, without its rounding to 0. PyTorch:
    /// `log_softmax(dim=AXIS)`.
    ///
    /// Shape `S` to `S`. Gradient g − eʸ·Σ g.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.0f32, -1000.0]);
    /// assert_eq!(x.log_softmax::<0>().to_array(), [0.0, -1000.0]);
    /// ```
    pub fn log_softmax<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Normalise<E>>::log_softmax(
            &self.raw,
            S::SPLIT,
            S::DIMS,
        ))
    }
}

reductions! {
    in Normalise;

    /// ln Σ eˣ, without overflow. PyTorch: `logsumexp`.
    ///
    /// −∞ for nothing, and for nothing but −∞; the gradient is 0 there. Elsewhere it is the softmax.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1000.0f32, f32::NEG_INFINITY], [f32::NEG_INFINITY, f32::NEG_INFINITY]]);
    /// assert_eq!(x.logsumexp_axis::<1>().to_array(), [1000.0, f32::NEG_INFINITY]);
    /// ```
    logsumexp, logsumexp_axis, logsumexp_keepdim() = logsumexp;
}

struct LogSumExp<E: Element> {
    split: Split,
    input: Buffer<E>,
    output: Buffer<E>,
}

/// g·exp(x − y); 0 where y is −∞, of which x − y would be −∞ + ∞.
struct Share;
impl<E: Element> Pointwise<E, 3> for Share {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x, y, g]: [V; 3]) -> V {
        y.if_less(V::splat(E::min_value()), V::of(0.0), g * (x - y).exp())
    }
}

impl<E: Element> Rule<E> for LogSumExp<E> {
    fn name(&self) -> &'static str {
        "logsumexp"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let operands = [&*self.input, &self.output, &grad];
        let grad = kernel::spread_in_lanes(operands, self.split, &Share);
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("output", Saved::Values(&self.output));
    }
}

fn logsumexp<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let values = kernel::logsumexp(&x.values, split);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let (input, output) = (x.values.clone(), values.clone());
        parents.record(
            dims,
            LogSumExp {
                split,
                input,
                output,
            },
        )
    });
    Raw { values, node }
}
