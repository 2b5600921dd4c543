//! Between two tensors: linear interpolation, and a learned slope below 0.

use super::arithmetic::Arithmetic;
use super::binary::{Binary, Uses};
use super::compiled::compiled;
use super::operand::Operand;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{AnyShape, Broadcast, BroadcastTo, Dims, Plan, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Interpolation.
    trait Blend {
        fn lerp(a: &Raw<E>, b: &Raw<E>, plan: &'static Plan, weight: E, dims: Dims) -> Raw<E> => planned;
        fn lerp_by(ends: [&Raw<E>; 2], plan: &'static Plan, weight: &Raw<E>, stretch: &'static Plan, dims: Dims) -> Raw<E>;
    }
}

struct Lerp<E: Element> {
    plan: &'static Plan,
    weight: E,
}

impl<E: Element> Rule<E> for Lerp<E> {
    fn name(&self) -> &'static str {
        "lerp"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let shares = [E::one() - self.weight, self.weight];
        let folds = [self.plan.lhs_fold(), self.plan.rhs_fold()];
        for (i, (share, fold)) in shares.into_iter().zip(folds).enumerate() {
            if to.wanted(i) {
                let grad = kernel::map(kernel::Source::Shared(&grad), &|g| g * share);
                to.give(i, kernel::sum_to(grad, fold));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        let weight = self.weight.to_f64().unwrap_or(f64::NAN);
        visit("weight", Saved::Number(weight));
    }
}

fn lerp<E: Element>(a: &Raw<E>, b: &Raw<E>, plan: &'static Plan, weight: E, dims: Dims) -> Raw<E> {
    let (start, end) = (
        kernel::Source::Shared(&a.values),
        kernel::Source::Shared(&b.values),
    );
    // From the nearer end, so that both ends are exact.
    let values = if weight < E::of(0.5) {
        kernel::zip(plan, start, end, &|a, b| a + weight * (b - a))
    } else {
        kernel::zip(plan, start, end, &|a, b| b - (E::one() - weight) * (b - a))
    };
    let node = parents([a.node.as_ref(), b.node.as_ref()])
        .map(|parents| parents.record(dims, Lerp { plan, weight }));
    Raw { values, node }
}

struct LerpBy<E: Element> {
    plan: &'static Plan,
    /// Of the weight to the result.
    stretch: &'static Plan,
    weight: Option<Buffer<E>>,
    ends: Option<[Buffer<E>; 2]>,
}

impl<E: Element> Rule<E> for LerpBy<E> {
    fn name(&self) -> &'static str {
        "lerp_by"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let weight = self.weight.as_deref();
        let by_weight = |f| kernel::zip_with(self.stretch, grad.clone(), weight, None, f);
        if to.wanted(0) {
            let grad = by_weight(&|g, w, _| g * (E::one() - w));
            to.give(0, kernel::sum_to(grad, self.plan.lhs_fold()));
        }
        if to.wanted(1) {
            let grad = by_weight(&|g, w, _| g * w);
            to.give(1, kernel::sum_to(grad, self.plan.rhs_fold()));
        }
        if let Some([a, b]) = &self.ends {
            let grad = kernel::zip_with(self.plan, grad, Some(a), Some(b), &|g, a, b| g * (b - a));
            to.give(2, kernel::sum_to(grad, self.stretch.lhs_fold()));
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(weight) = &self.weight {
            visit("weight", Saved::Values(weight));
        }
        if let Some([start, end]) = &self.ends {
            visit("start", Saved::Values(start));
            visit("end", Saved::Values(end));
        }
    }
}

fn lerp_by<E: Element>(
    ends: [&Raw<E>; 2],
    plan: &'static Plan,
    weight: &Raw<E>,
    stretch: &'static Plan,
    dims: Dims,
) -> Raw<E> {
    let [a, b] = ends;
    let weights = kernel::layout::stretch(&weight.values, stretch);
    // From the nearer end, so that both ends are exact.
    let values = kernel::zip_with(
        plan,
        weights,
        Some(&a.values),
        Some(&b.values),
        &|w, a, b| {
            if w < E::of(0.5) {
                a + w * (b - a)
            } else {
                b - (E::one() - w) * (b - a)
            }
        },
    );
    let nodes = [a.node.as_ref(), b.node.as_ref(), weight.node.as_ref()];
    let node = parents(nodes).map(|parents| {
        let of_ends = parents.wanted(0) || parents.wanted(1);
        let rule = LerpBy {
            plan,
            stretch,
            weight: of_ends.then(|| weight.values.clone()),
            ends: parents
                .wanted(2)
                .then(|| ends.map(|end| end.values.clone())),
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

/// `x` above 0, `w·x` below. The slope is the left operand, which stretches to the right one.
pub(super) struct Prelu;
impl<E: Element> Binary<E> for Prelu {
    const NAME: &'static str = "prelu";
    const LHS: Uses = Uses::RIGHT;
    const RHS: Uses = Uses::BOTH;
    fn forward(w: E, x: E) -> E {
        if x <= E::zero() { w * x } else { x }
    }
    fn lhs(g: E, _: E, x: E) -> E {
        if x <= E::zero() { g * x } else { E::zero() }
    }
    fn rhs(g: E, w: E, x: E) -> E {
        if x <= E::zero() { g * w } else { g }
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// a + `weight`·(b − a) of each pair of elements, with broadcasting: from these at 0 to `end` at 1.
    /// PyTorch: `lerp`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives 1 − `weight` and `weight`. Both ends are
    /// exact. For a tensor of weights see [`lerp_by`](Self::lerp_by).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (a, b) = (Tensor::from([0.0f32, 10.0]), Tensor::from([4.0, 20.0]));
    /// assert_eq!(a.lerp(&b, 0.25).to_array(), [1.0, 12.5]);
    /// ```
    pub fn lerp<const Q: usize, B: Shape<Q>>(
        &self,
        end: &Tensor<Q, B, E>,
        weight: E,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        wrap::<<A as Broadcast<B>>::Output, E>(<E::Ops as Blend<E>>::lerp(
            &self.raw,
            &end.raw,
            <A as Broadcast<B>>::PLAN,
            weight,
            <<A as Broadcast<B>>::Output as AnyShape>::DIMS,
        ))
    }

    /// [`lerp`](Self::lerp) with a tensor of weights, which stretches to the result. PyTorch: `lerp`.
    ///
    /// Derivatives 1 − w, w and b − a.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (old, new) = (Tensor::from([0.0f32, 10.0]), Tensor::from([4.0, 20.0]));
    /// let gate = Tensor::from([0.25, 1.0]);
    /// assert_eq!(old.lerp_by(&new, &gate).to_array(), [1.0, 20.0]);
    /// ```
    pub fn lerp_by<const Q: usize, B: Shape<Q>, const P: usize, W>(
        &self,
        end: &Tensor<Q, B, E>,
        weight: &Tensor<P, W, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
        W: Shape<P> + BroadcastTo<<A as Broadcast<B>>::Output>,
    {
        wrap::<<A as Broadcast<B>>::Output, E>(<E::Ops as Blend<E>>::lerp_by(
            [&self.raw, &end.raw],
            <A as Broadcast<B>>::PLAN,
            &weight.raw,
            <W as BroadcastTo<<A as Broadcast<B>>::Output>>::PLAN,
            <<A as Broadcast<B>>::Output as AnyShape>::DIMS,
        ))
    }

    /// x above 0, x times a learned `slope` below, elementwise. PyTorch: `prelu`.
    ///
    /// Shape `S` to `S`; the slope stretches to it: one for all, or `shape![C, 1, 1]` for one a channel.
    /// Derivative 1 above 0, the slope below and at 0; that of the slope is x below 0, 0 elsewhere (He et al.
    /// 2015).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let slope = Tensor::from([0.5f32, 0.25]).tracked();
    /// let y = Tensor::from([[-2.0, -2.0], [3.0, -4.0]]).prelu(&slope);
    /// assert_eq!(y.to_array(), [[-1.0, -0.5], [3.0, -1.0]]);
    /// y.sum().backward();
    /// assert_eq!(slope.grad().unwrap().to_array(), [-2.0, -6.0]);
    /// ```
    pub fn prelu<const Q: usize, W>(&self, slope: &Tensor<Q, W, E>) -> Self
    where
        W: Shape<Q> + BroadcastTo<A>,
    {
        Self::from_raw(<E::Ops as Arithmetic<E>>::prelu(
            Operand::Shared(&slope.raw),
            Operand::Shared(&self.raw),
            <W as BroadcastTo<A>>::PLAN,
        ))
    }
}
