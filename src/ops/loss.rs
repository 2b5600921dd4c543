//! Losses, each the mean over all that it judges.

use super::compiled::compiled;
use super::elementary::sign;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{Classes, SameShape, Shape};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor};

compiled! {
    /// Losses.
    trait Loss {
        fn cross_entropy(x: &Raw<E>, targets: &Buffer<usize>, classes: usize) -> Raw<E>;
        fn mse(x: &Raw<E>, target: &Raw<E>) -> Raw<E>;
        fn mae(x: &Raw<E>, target: &Raw<E>) -> Raw<E>;
    }
}

struct CrossEntropy<E: Element> {
    probabilities: Buffer<E>,
    targets: Buffer<usize>,
}

impl<E: Element> Rule<E> for CrossEntropy<E> {
    const NAME: &'static str = "cross_entropy";
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let rows = self.targets.len();
        let scale = grad[0] / count(rows);
        let classes = self.probabilities.len() / rows.max(1);
        let mut grad = kernel::map(kernel::Source::Shared(&self.probabilities), |p| p * scale);
        let values = grad.fresh();
        for (row, &target) in self.targets.iter().enumerate() {
            values[row * classes + target] -= scale;
        }
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("probabilities", Saved::Values(&self.probabilities));
        visit("targets", Saved::Positions(&self.targets));
    }
}

fn cross_entropy<E: Element>(x: &Raw<E>, targets: &Buffer<usize>, classes: usize) -> Raw<E> {
    let (losses, probabilities) = kernel::cross_entropy(&x.values, targets, classes);
    let mean = kernel::sum_by(&losses, |loss| loss) / count(losses.len());
    Raw {
        values: Buffer::filled(1, mean),
        node: parents([x.node.as_ref()]).map(|parents| {
            let targets = targets.clone();
            parents.record(
                &[],
                CrossEntropy {
                    probabilities,
                    targets,
                },
            )
        }),
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The cross-entropy of these scores (logits) against the right classes: the mean of ln Σ eˣ − x_target.
    /// PyTorch: `cross_entropy`, with the classes along the **last** axis.
    ///
    /// Shapes `(…, C)` and `(…)` to `()`. Softmax and logarithm are fused, so that scores of any size give
    /// exact losses. The mean over nothing is NaN. Gradient (softmax(x) − one_hot(target))/n.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let logits = Tensor::from([[1e8f32, 1e8], [0.0, 0.0]]);
    /// let targets = Indices::<1, shape![2], 2>::from_array([1, 0]).unwrap();
    /// assert_eq!(logits.cross_entropy(&targets).item(), 2f32.ln());
    /// ```
    pub fn cross_entropy<const Q: usize, T, const C: usize>(
        &self,
        targets: &Indices<Q, T, C>,
    ) -> Tensor<0, (), E>
    where
        S: Classes<C>,
        T: Shape<Q> + SameShape<S::Batch>,
    {
        Tensor::from_raw(<E::Ops as Loss<E>>::cross_entropy(
            &self.raw,
            &targets.values,
            C,
        ))
    }

    /// The mean squared error against `target`. PyTorch: `mse_loss`.
    ///
    /// Both have shape `S`, with no broadcasting; the result is a single number. The mean over nothing is
    /// NaN. Gradients ±2·(x − target)/n.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.mse(&Tensor::from([0.0, 4.0])).item(), 2.5);
    /// ```
    pub fn mse(&self, target: &Self) -> Tensor<0, (), E> {
        Tensor::from_raw(<E::Ops as Loss<E>>::mse(&self.raw, &target.raw))
    }

    /// The mean absolute error against `target`. PyTorch: `l1_loss`.
    ///
    /// Both have shape `S`, with no broadcasting; the result is a single number. The mean over nothing is
    /// NaN. Gradients ±sign(x − target)/n, and 0 where both are equal.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.mae(&Tensor::from([0.0, 4.0])).item(), 1.5);
    /// ```
    pub fn mae(&self, target: &Self) -> Tensor<0, (), E> {
        Tensor::from_raw(<E::Ops as Loss<E>>::mae(&self.raw, &target.raw))
    }
}

struct Squared<E: Element> {
    difference: Buffer<E>,
}

struct Absolute<E: Element> {
    difference: Buffer<E>,
}

macro_rules! distances {
    ($($name:ident: $Rule:ident, $label:literal, |$d:ident| $error:expr, $derivative:expr;)*) => {$(
        fn $name<E: Element>(x: &Raw<E>, target: &Raw<E>) -> Raw<E> {
            let difference = kernel::map_with(x.values.clone(), &target.values, |a, b| a - b);
            let mean = kernel::sum_by(&difference, |$d| $error) / count(difference.len());
            Raw {
                values: Buffer::filled(1, mean),
                node: parents([x.node.as_ref(), target.node.as_ref()])
                    .map(|parents| parents.record(&[], $Rule { difference })),
            }
        }

        impl<E: Element> Rule<E> for $Rule<E> {
            const NAME: &'static str = $label;
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                let scale = grad[0] / count(self.difference.len());
                let side = |sign: E| {
                    kernel::map(kernel::Source::Shared(&self.difference), |$d| $derivative * (scale * sign))
                };
                if to.wanted(0) {
                    to.give(0, side(E::one()));
                }
                if to.wanted(1) {
                    to.give(1, side(-E::one()));
                }
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("difference", Saved::Values(&self.difference));
            }
        }
    )*};
}
distances! {
    mse: Squared, "mse", |d| d * d, d + d;
    mae: Absolute, "mae", |d| d.abs(), sign(d);
}
