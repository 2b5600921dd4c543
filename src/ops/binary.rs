//! What all elementwise operations on two tensors share: broadcasting, and its backward.

use super::Operand;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved};
use crate::kernel::{self, Lanes, Paired, Pointwise, Slope, Widest};
use crate::shape::Plan;
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
///
/// Its functions are part of a dozen loops each. `#[inline(never)]` keeps those small where a function spends its
/// time in the maths library and would not be vectorised anyway.
pub(crate) trait Binary<E: Element> {
    const NAME: &'static str;
    /// What the left operand's gradient needs; the others arrive as zero.
    const LHS: Uses;
    /// What the right operand's gradient needs.
    const RHS: Uses;
    fn forward(a: E, b: E) -> E;
    fn lhs(g: E, a: E, b: E) -> E;
    fn rhs(g: E, a: E, b: E) -> E;
}

/// An elementwise operation behind pointers, so that [`binary`] and [`BinaryRule`] are compiled once for all of them.
struct Table<E: Element> {
    name: &'static str,
    lhs: Uses,
    rhs: Uses,
    forward: &'static dyn kernel::Zip<E>,
    lhs_slope: &'static dyn kernel::ZipWith<E>,
    rhs_slope: &'static dyn kernel::ZipWith<E>,
}

const fn table<E: Element, B: Binary<E>>() -> &'static Table<E> {
    const {
        &Table {
            name: B::NAME,
            lhs: B::LHS,
            rhs: B::RHS,
            forward: &|a, b| B::forward(a, b),
            lhs_slope: &|g, a, b| B::lhs(g, a, b),
            rhs_slope: &|g, a, b| B::rhs(g, a, b),
        }
    }
}

/// An elementwise operation on two tensors whose functions, without branches and calls, are those of [`Lanes`], and whose
/// loops are compiled for the widest vectors.
pub(crate) trait InLanes<E: Element>: 'static {
    const NAME: &'static str;
    fn forward<V: Lanes<Element = E>>(a: V, b: V) -> V;
    /// The derivative for the left operand.
    fn lhs<V: Lanes<Element = E>>(a: V, b: V) -> V;
    /// The derivative for the right operand, if it is not that for the left one with the operands swapped.
    const RHS: Option<&'static dyn kernel::ZipWith<E>> = None;
}

/// [`InLanes::forward`]
pub(crate) struct Forward<B>(PhantomData<fn(B)>);
/// [`InLanes::lhs`]
struct LeftSlope<B>(PhantomData<fn(B)>);

impl<E: Element, B: InLanes<E>> Pointwise<E, 2> for Forward<B> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [a, b]: [V; 2]) -> V {
        B::forward(a, b)
    }
}

impl<E: Element, B: InLanes<E>> Pointwise<E, 2> for LeftSlope<B> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [a, b]: [V; 2]) -> V {
        B::lhs(a, b)
    }
}

/// The loops of the operation itself.
pub(crate) const fn paired<E: Element, B: InLanes<E>>() -> Paired<E> {
    Paired(const { &Widest(Forward::<B>(PhantomData)) })
}

const fn table_in_lanes<E: Element, B: InLanes<E>>() -> &'static Table<E> {
    const {
        &Table {
            name: B::NAME,
            lhs: Uses::BOTH,
            rhs: Uses::BOTH,
            forward: &paired::<E, B>(),
            lhs_slope: &Slope::<E, false>(Paired(&Widest(LeftSlope::<B>(PhantomData)))),
            rhs_slope: match B::RHS {
                Some(slope) => slope,
                None => &Slope::<E, true>(Paired(&Widest(LeftSlope::<B>(PhantomData)))),
            },
        }
    }
}

struct BinaryRule<E: Element> {
    table: &'static Table<E>,
    plan: &'static Plan,
    lhs: Option<Buffer<E>>,
    rhs: Option<Buffer<E>>,
}

impl<E: Element> Rule<E> for BinaryRule<E> {
    fn name(&self) -> &'static str {
        self.table.name
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let Table {
            lhs,
            rhs,
            lhs_slope,
            rhs_slope,
            ..
        } = *self.table;
        let mut grad = Some(grad);
        if to.wanted(0) {
            // The right operand's gradient needs it too, if it is wanted; else it may be worked on in place.
            let g = if to.wanted(1) {
                grad.clone()
            } else {
                grad.take()
            }
            .expect("taken once");
            let g = self.slope(g, lhs, lhs_slope);
            to.give(0, kernel::sum_to(g, self.plan.lhs_fold()));
        }
        if let Some(g) = grad.filter(|_| to.wanted(1)) {
            let g = self.slope(g, rhs, rhs_slope);
            to.give(1, kernel::sum_to(g, self.plan.rhs_fold()));
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

impl<E: Element> BinaryRule<E> {
    /// An operand's gradient, before it is summed over what was stretched.
    fn slope(&self, g: Buffer<E>, uses: Uses, slope: &dyn kernel::ZipWith<E>) -> Buffer<E> {
        if uses.passes {
            return g;
        }
        kernel::zip_with(
            self.plan,
            g,
            self.lhs.as_deref(),
            self.rhs.as_deref(),
            slope,
        )
    }
}

/// Applies the operation `B` along the plan and records it where an operand is tracked.
pub(crate) fn binary<E: Element, B: Binary<E>>(
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    plan: &'static Plan,
) -> Raw<E> {
    apply(a, b, plan, table::<E, B>())
}

/// [`binary`] in lanes.
pub(crate) fn binary_in_lanes<E: Element, B: InLanes<E>>(
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    plan: &'static Plan,
) -> Raw<E> {
    apply(a, b, plan, table_in_lanes::<E, B>())
}

fn apply<E: Element>(
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    plan: &'static Plan,
    table: &'static Table<E>,
) -> Raw<E> {
    // The common case apart, so that it pays nothing for the other.
    if a.node().is_none() && b.node().is_none() {
        return Raw::input(kernel::zip(plan, a.source(), b.source(), table.forward));
    }
    recorded(a, b, plan, table)
}

#[inline(never)]
fn recorded<'x, E: Element>(
    mut a: Operand<'x, E>,
    mut b: Operand<'x, E>,
    plan: &'static Plan,
    table: &'static Table<E>,
) -> Raw<E> {
    let node = Operand::parents([&mut a, &mut b]).map(|parents| {
        let (l, r) = (parents.wanted(0), parents.wanted(1));
        parents.record_made(plan.dims(), || BinaryRule {
            table,
            plan,
            lhs: (l && table.lhs.lhs || r && table.rhs.lhs).then(|| a.save()),
            rhs: (l && table.lhs.rhs || r && table.rhs.rhs).then(|| b.save()),
        })
    });
    let values = kernel::zip(plan, a.source(), b.source(), table.forward);
    Raw { values, node }
}
