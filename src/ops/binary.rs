//! What all elementwise operations on two tensors share: broadcasting, and its backward.

use super::Operand;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{Dims, Plan};
use crate::storage::Buffer;
use crate::tensor::Raw;
use std::marker::PhantomData;

/// What the gradient of one operand is made of.
#[derive(Clone, Copy)]
pub(crate) struct Uses {
    /// The gradient passes through unchanged.
    passes: bool,
    lhs: bool,
    rhs: bool,
}

impl Uses {
    /// The gradient passes through unchanged.
    pub(crate) const PASSES: Uses = Uses {
        passes: true,
        lhs: false,
        rhs: false,
    };
    /// Neither operand's value.
    pub(crate) const NEITHER: Uses = Uses {
        passes: false,
        lhs: false,
        rhs: false,
    };
    /// The left operand's value.
    pub(crate) const LEFT: Uses = Uses {
        passes: false,
        lhs: true,
        rhs: false,
    };
    /// The right operand's value.
    pub(crate) const RIGHT: Uses = Uses {
        passes: false,
        lhs: false,
        rhs: true,
    };
    /// Both operands' values.
    pub(crate) const BOTH: Uses = Uses {
        passes: false,
        lhs: true,
        rhs: true,
    };
}

/// An elementwise operation on two tensors.
pub(crate) trait Binary<E: Element>: Send + Sync + 'static {
    const NAME: &'static str;
    /// What the left operand's gradient needs; the others arrive as zero.
    const LHS: Uses;
    /// What the right operand's gradient needs.
    const RHS: Uses;
    /// Whether the loops call the operation by a pointer; see [`Unary::CALLED`](super::unary::Unary::CALLED).
    const CALLED: bool = false;
    fn forward(a: E, b: E) -> E;
    fn lhs(g: E, a: E, b: E) -> E;
    fn rhs(g: E, a: E, b: E) -> E;
}

struct BinaryRule<E: Element, B> {
    plan: &'static Plan,
    lhs: Option<Buffer<E>>,
    rhs: Option<Buffer<E>>,
    op: PhantomData<B>,
}

impl<E: Element, B: Binary<E>> Rule<E> for BinaryRule<E, B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (plan, a, b) = (self.plan, self.lhs.as_deref(), self.rhs.as_deref());
        let mut grad = Some(grad);
        if to.wanted(0) {
            // The right operand's gradient needs it too, if it is wanted; else it may be worked on in place.
            let g = if to.wanted(1) {
                grad.clone()
            } else {
                grad.take()
            }
            .expect("taken once");
            let g = if B::LHS.passes {
                g
            } else {
                slope::<E, B>(plan, g, a, b, B::lhs)
            };
            to.give(0, kernel::sum_to(g, plan.lhs_fold()));
        }
        if let Some(g) = grad.filter(|_| to.wanted(1)) {
            let g = if B::RHS.passes {
                g
            } else {
                slope::<E, B>(plan, g, a, b, B::rhs)
            };
            to.give(1, kernel::sum_to(g, plan.rhs_fold()));
        }
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(lhs) = &self.lhs {
            visit("lhs", Saved::Values(lhs));
        }
        if let Some(rhs) = &self.rhs {
            visit("rhs", Saved::Values(rhs));
        }
    }
}

/// An operand's gradient, before it is summed over what was stretched.
fn slope<E: Element, B: Binary<E>>(
    plan: &Plan,
    g: Buffer<E>,
    a: Option<&[E]>,
    b: Option<&[E]>,
    f: impl Fn(E, E, E) -> E + Sync,
) -> Buffer<E> {
    if B::CALLED {
        let f: &(dyn Fn(E, E, E) -> E + Sync) = &f;
        kernel::zip_with(plan, g, a, b, f)
    } else {
        kernel::zip_with(plan, g, a, b, f)
    }
}

/// Applies the operation along the plan and records it where an operand is tracked.
pub(crate) fn binary<E: Element, B: Binary<E>>(
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    plan: &'static Plan,
    dims: Dims,
) -> Raw<E> {
    let recorded = parents([a.node(), b.node()]).map(|parents| {
        let (l, r) = (parents.wanted(0), parents.wanted(1));
        let rule = BinaryRule::<E, B> {
            plan,
            lhs: (l && B::LHS.lhs || r && B::RHS.lhs).then(|| a.save()),
            rhs: (l && B::LHS.rhs || r && B::RHS.rhs).then(|| b.save()),
            op: PhantomData,
        };
        parents.record(dims, rule)
    });
    let values = if B::CALLED {
        kernel::zip_called(plan, a.source(), b.source(), &B::forward)
    } else {
        kernel::zip(plan, a.source(), b.source(), B::forward)
    };
    Raw {
        values,
        node: recorded,
    }
}
