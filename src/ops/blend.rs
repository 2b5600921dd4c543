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
        fn lerp(a: &Raw<E>, b: &Raw<E>, plan: &'static Plan, weight: E, dims: Dims) -> Raw<E>;
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
    /// exact. For a tensor of weights write `&a + &w * (&b - &a)`.
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
