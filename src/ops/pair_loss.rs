//! Losses of a prediction and a target that depend on both: binary cross-entropy, divergence, hinge.

use super::activation::smooth_relu;
use super::compiled::compiled;
use super::lift::Own;
use super::loss::{Reduce, losses};
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Source, layout, logistic};
use crate::shape::{AnyShape, BroadcastTo, Dims, HasAxis, Plan, Shape};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};
use std::marker::PhantomData;

compiled! {
    /// Losses of pairs.
    trait PairLoss {
        fn bce(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn bce_with_logits(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn kl_div(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn hinge(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn weighted_bce(x: [&Raw<E>; 3], plan: &'static Plan, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x[0].own());
    }
}

losses! {
    in PairLoss;

    /// The binary cross-entropy −t·ln x − (1 − t)·ln(1 − x) of probabilities x. PyTorch: `binary_cross_entropy`.
    ///
    /// Both have shape `S`, with no broadcasting; both should be from 0 to 1, and a probability that is not gives
    /// NaN. As in PyTorch the logarithms are at least −100, and the gradient of x is (x − t)/max(x·(1 − x),
    /// 10⁻¹²), divided by n in the mean. Where x comes out of a sigmoid,
    /// [`bce_with_logits`](Self::bce_with_logits) is exact and this is not.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.5f32, 1.0, 0.0]);
    /// assert_eq!(x.bce_none(&Tensor::from([1.0, 1.0, 1.0])).to_array(), [2f32.ln(), 0.0, 100.0]);
    /// ```
    bce, bce_sum, bce_none();

    /// The binary cross-entropy of scores (logits) x, −t·ln σ(x) − (1 − t)·ln σ(−x), exact for scores of any size.
    /// PyTorch: `binary_cross_entropy_with_logits`.
    ///
    /// Both have shape `S`, with no broadcasting. Gradient σ(x) − t, divided by n in the mean.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.0f32, 1000.0, -1000.0]);
    /// assert_eq!(x.bce_with_logits_none(&Tensor::from([0.0, 0.0, 0.25])).to_array(), [2f32.ln(), 1000.0, 250.0]);
    /// ```
    bce_with_logits, bce_with_logits_sum, bce_with_logits_none();

    /// The Kullback-Leibler divergence t·(ln t − x) of log-probabilities x from probabilities t, element by
    /// element. PyTorch: `kl_div`.
    ///
    /// Both have shape `S`, with no broadcasting. A t of 0 contributes 0, even where x is −∞. Gradient −t; that of
    /// t is ln t + 1 − x. The mean divides by all elements, as PyTorch's does;
    /// [`kl_div_batchmean`](Self::kl_div_batchmean) is the divergence of the distributions.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.5f32.ln(), f32::NEG_INFINITY]);
    /// assert_eq!(x.kl_div_sum(&Tensor::from([1.0, 0.0])).item(), 2f32.ln());
    /// ```
    kl_div, kl_div_sum, kl_div_none();

    /// The hinge loss max(0, 1 − t·x) of scores x and targets t of 1 or −1, as support vector machines have it.
    ///
    /// Both have shape `S`, with no broadcasting. Gradient −t where t·x is below 1, 0 elsewhere, divided by n in the
    /// mean.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([2.0f32, 0.5, 0.5]);
    /// assert_eq!(x.hinge_none(&Tensor::from([1.0, 1.0, -1.0])).to_array(), [0.0, 0.5, 1.5]);
    /// ```
    hinge, hinge_sum, hinge_none();
}

/// A loss of a prediction and a target, and its two derivatives.
trait Pair<E: Element>: Send + Sync + 'static {
    const NAME: &'static str;
    fn error(x: E, t: E) -> E;
    fn dx(x: E, t: E) -> E;
    fn dt(x: E, t: E) -> E;
}

struct PairRule<E: Element, P> {
    reduce: Reduce,
    input: Buffer<E>,
    target: Buffer<E>,
    op: PhantomData<P>,
}

impl<E: Element, P: Pair<E>> Rule<E> for PairRule<E, P> {
    fn name(&self) -> &'static str {
        P::NAME
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        for (i, slope) in [P::dx, P::dt].into_iter().enumerate() {
            if to.wanted(i) {
                let slopes = kernel::zip_equal(
                    Source::Shared(&self.input),
                    Source::Shared(&self.target),
                    &slope,
                );
                to.give(i, scaled(slopes, &grad, self.reduce));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("target", Saved::Values(&self.target));
    }
}

/// Derivatives of each loss times the gradient that reaches it.
fn scaled<E: Element>(slopes: Buffer<E>, grad: &[E], reduce: Reduce) -> Buffer<E> {
    if reduce == Reduce::Each {
        return kernel::map_with(slopes, grad, &|slope, g| slope * g);
    }
    let scale = grad[0] / reduce.divisor(slopes.len());
    kernel::map_owned(slopes, &|slope| slope * scale)
}

fn pair<E: Element, P: Pair<E>>(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> {
    let losses = kernel::zip_equal(
        Source::Shared(&x.values),
        Source::Shared(&target.values),
        &P::error,
    );
    let node = parents([x.node.as_ref(), target.node.as_ref()]).map(|parents| {
        let (input, target) = (x.values.clone(), target.values.clone());
        let rule = PairRule {
            reduce,
            input,
            target,
            op: PhantomData::<P>,
        };
        parents.record(dims, rule)
    });
    Raw {
        values: reduce.of(losses),
        node,
    }
}

macro_rules! pairs {
    ($($name:ident: $label:literal, |$x:ident, $t:ident| $error:expr, $dx:expr, $dt:expr;)*) => {$(
        fn $name<E: Element>(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> {
            struct Op;
            #[allow(unused_variables)] // a derivative may need one of the two alone
            impl<E: Element> Pair<E> for Op {
                const NAME: &'static str = $label;
                fn error($x: E, $t: E) -> E {
                    $error
                }
                fn dx($x: E, $t: E) -> E {
                    $dx
                }
                fn dt($x: E, $t: E) -> E {
                    $dt
                }
            }
            pair::<E, Op>(x, target, reduce, dims)
        }
    )*};
}
pairs! {
    bce: "bce",
        |x, t| -(t * limited(x.ln()) + (E::one() - t) * limited((-x).ln_1p())),
        {
            let spread = x * (E::one() - x);
            let least = E::of(LEAST_SPREAD);
            (x - t) / if spread < least { least } else { spread }
        },
        limited((-x).ln_1p()) - limited(x.ln());
    bce_with_logits: "bce_with_logits",
        |x, t| times(t, smooth_relu(-x)) + times(E::one() - t, smooth_relu(x)),
        (E::one() - t) * logistic(x) - t * logistic(-x),
        -x;
    kl_div: "kl_div",
        |x, t| if t == E::zero() { E::zero() } else { t * (t.ln() - x) },
        -t,
        t.ln() + E::one() - x;
    hinge: "hinge",
        |x, t| if t * x >= E::one() { E::zero() } else { E::one() - t * x },
        if t * x >= E::one() { E::zero() } else { -t },
        if t * x >= E::one() { E::zero() } else { -x };
}

/// The least value of x·(1 − x) that PyTorch divides by.
const LEAST_SPREAD: f64 = 1e-12;

/// A logarithm, but at least −100; NaN stays NaN.
fn limited<E: Element>(log: E) -> E {
    let least = E::of(-100.0);
    if log < least { least } else { log }
}

/// a·b, where an a of 0 wins over an infinite b.
fn times<E: Element>(a: E, b: E) -> E {
    if a.vanishes() { E::zero() } else { a * b }
}

struct WeightedBce<E: Element> {
    plan: &'static Plan,
    reduce: Reduce,
    input: Buffer<E>,
    target: Buffer<E>,
    /// Stretched to the others' shape.
    weight: Buffer<E>,
}

impl<E: Element> Rule<E> for WeightedBce<E> {
    fn name(&self) -> &'static str {
        "bce_with_logits_weighted"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (x, t, w) = (&*self.input, &*self.target, &*self.weight);
        let slopes: [&dyn Fn(usize) -> E; 3] = [
            &|i| (E::one() - t[i]) * logistic(x[i]) - t[i] * w[i] * logistic(-x[i]),
            &|i| w[i] * smooth_relu(-x[i]) - smooth_relu(x[i]),
            &|i| times(t[i], smooth_relu(-x[i])),
        ];
        for (i, slope) in slopes.into_iter().enumerate() {
            if to.wanted(i) {
                let slopes = scaled(Buffer::from_fn(x.len(), slope), &grad, self.reduce);
                let weight = i == 2;
                to.give(
                    i,
                    if weight {
                        kernel::sum_to(slopes, self.plan.lhs_fold())
                    } else {
                        slopes
                    },
                );
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("target", Saved::Values(&self.target));
        visit("weight", Saved::Values(&self.weight));
    }
}

fn weighted_bce<E: Element>(
    [x, target, weight]: [&Raw<E>; 3],
    plan: &'static Plan,
    reduce: Reduce,
    dims: Dims,
) -> Raw<E> {
    let (input, t) = (&x.values, &target.values);
    let w = layout::stretch(&weight.values, plan);
    let losses = Buffer::from_fn(input.len(), |i| {
        times(t[i] * w[i], smooth_relu(-input[i])) + times(E::one() - t[i], smooth_relu(input[i]))
    });
    let nodes = [x, target, weight].map(|raw| raw.node.as_ref());
    let node = parents(nodes).map(|parents| {
        let rule = WeightedBce {
            plan,
            reduce,
            input: input.clone(),
            target: t.clone(),
            weight: w,
        };
        parents.record(dims, rule)
    });
    Raw {
        values: reduce.of(losses),
        node,
    }
}

macro_rules! weighted {
    ($($(#[$doc:meta])* $name:ident $Reduce:ident -> $Out:ty, $dims:expr;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name<const Q: usize, W>(&self, target: &Self, weight: &Tensor<Q, W, E>) -> $Out
            where
                W: Shape<Q> + BroadcastTo<S>,
            {
                <$Out>::from_raw(<E::Ops as PairLoss<E>>::weighted_bce(
                    [&self.raw, &target.raw, &weight.raw],
                    <W as BroadcastTo<S>>::PLAN,
                    Reduce::$Reduce,
                    $dims,
                ))
            }
        )*}
    };
}
weighted! {
    /// [`bce_with_logits`](Self::bce_with_logits) with the losses of positive targets times `weight`, −w·t·ln σ(x) −
    /// (1 − t)·ln σ(−x). PyTorch: `binary_cross_entropy_with_logits(pos_weight=weight)`.
    ///
    /// The weight stretches to shape `S`: one number for all, or one a class. Gradient (1 − t)·σ(x) − w·t·σ(−x),
    /// divided by n in the mean.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[0.0f32, 0.0], [0.0, 0.0]]);
    /// let target = Tensor::from([[1.0, 0.0], [1.0, 1.0]]);
    /// let loss = x.bce_with_logits_weighted(&target, &Tensor::from([3.0, 1.0]));
    /// assert_eq!(loss.item(), 2.0 * 2f32.ln());
    /// ```
    bce_with_logits_weighted Mean -> Tensor<0, (), E>, &[];
    /// [`bce_with_logits_weighted`](Self::bce_with_logits_weighted) with the losses added up. PyTorch:
    /// `binary_cross_entropy_with_logits(pos_weight=weight, reduction="sum")`.
    bce_with_logits_weighted_sum Sum -> Tensor<0, (), E>, &[];
    /// [`bce_with_logits_weighted`](Self::bce_with_logits_weighted) with the loss of each element.
    /// PyTorch: `binary_cross_entropy_with_logits(pos_weight=weight, reduction="none")`.
    bce_with_logits_weighted_none Each -> Self, S::DIMS;
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The divergence [`kl_div_sum`](Self::kl_div_sum) divided by the size of the first axis: the mean divergence of
    /// a batch of distributions. PyTorch: `kl_div(reduction="batchmean")`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[0.5f32, 0.5], [0.5, 0.5]]).ln();
    /// assert_eq!(x.kl_div_batchmean(&Tensor::from([[1.0, 0.0], [0.5, 0.5]])).item(), 2f32.ln() / 2.0);
    /// ```
    pub fn kl_div_batchmean(&self, target: &Self) -> Tensor<0, (), E>
    where
        S: HasAxis<0>,
    {
        let reduce = Reduce::Over(<S as AnyShape>::DIMS[0]);
        Tensor::from_raw(<E::Ops as PairLoss<E>>::kl_div(
            &self.raw,
            &target.raw,
            reduce,
            &[],
        ))
    }
}
