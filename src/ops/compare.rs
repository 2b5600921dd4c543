//! Comparisons, and choosing by their outcome.

use super::compiled::compiled;
use super::examples::plan_of_marked;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, layout};
use crate::shape::{AnyShape, Broadcast, BroadcastTo, Dims, MaskOf, Plan, Shape};
use crate::storage::Buffer;
use crate::tensor::{Mask, Raw, Tensor, mask_of};

/// What a tensor of shape `S` can be compared with: a number, or a tensor that broadcasts with it.
pub trait Comparand<S, E: Element> {
    /// The mask that the comparison returns.
    type Mask;
    /// The outcome for each pair of elements.
    #[doc(hidden)]
    fn compare(self, lhs: &Raw<E>, relation: Relation) -> Self::Mask;
}

/// The six relations between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

compiled! {
    /// Comparisons and choices.
    trait Compare {
        fn compare(a: &Raw<E>, b: &Raw<E>, plan: &'static Plan, relation: Relation) -> Buffer<u8> => planned;
        fn select(flags: &Buffer<u8>, a: &Raw<E>, b: &Raw<E>, plans: [&'static Plan; 2], dims: Dims) -> Raw<E>;
    }
}

fn compare<E: Element>(
    a: &Raw<E>,
    b: &Raw<E>,
    plan: &'static Plan,
    relation: Relation,
) -> Buffer<u8> {
    let (a, b) = (&a.values, &b.values);
    match relation {
        Relation::Gt => kernel::compare(plan, a, b, &|a, b| u8::from(a > b)),
        Relation::Ge => kernel::compare(plan, a, b, &|a, b| u8::from(a >= b)),
        Relation::Lt => kernel::compare(plan, a, b, &|a, b| u8::from(a < b)),
        Relation::Le => kernel::compare(plan, a, b, &|a, b| u8::from(a <= b)),
        Relation::Eq => kernel::compare(plan, a, b, &|a, b| u8::from(a == b)),
        Relation::Ne => kernel::compare(plan, a, b, &|a, b| u8::from(a != b)),
    }
}

impl<S: AnyShape + Broadcast<()>, E: Element> Comparand<S, E> for E {
    type Mask = MaskOf<S>;
    fn compare(self, lhs: &Raw<E>, relation: Relation) -> MaskOf<S> {
        mask_of::<S>(<E::Ops as Compare<E>>::compare(
            lhs,
            &Raw::input(Buffer::filled(1, self)),
            <S as Broadcast<()>>::PLAN,
            relation,
        ))
    }
}

impl<const Q: usize, A, B, E> Comparand<A, E> for &Tensor<Q, B, E>
where
    A: Broadcast<B>,
    B: Shape<Q>,
    E: Element,
{
    type Mask = MaskOf<A::Output>;
    fn compare(self, lhs: &Raw<E>, relation: Relation) -> MaskOf<A::Output> {
        mask_of::<A::Output>(<E::Ops as Compare<E>>::compare(
            lhs,
            &self.raw,
            A::PLAN,
            relation,
        ))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $Relation:ident;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name<C: Comparand<S, E>>(&self, other: C) -> C::Mask {
                other.compare(&self.raw, Relation::$Relation)
            }
        )*}
    };
}
comparisons! {
    /// Where this is greater, against a number or against a tensor with broadcasting. NaN is greater than
    /// nothing. PyTorch: `gt`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 5.0], [3.0, 2.0]]);
    /// assert_eq!(x.gt(2.0).to_array(), [[false, true], [true, false]]);
    /// assert_eq!(x.gt(&Tensor::from([0.0, 5.0])).to_array(), [[true, false], [true, false]]);
    /// ```
    gt Gt;
    /// Where this is greater or equal; otherwise as [`gt`](Self::gt). PyTorch: `ge`.
    ge Ge;
    /// Where this is less; otherwise as [`gt`](Self::gt). PyTorch: `lt`.
    lt Lt;
    /// Where this is less or equal; otherwise as [`gt`](Self::gt). PyTorch: `le`.
    le Le;
    /// Where both are equal, against a number or against a tensor with broadcasting. NaN equals nothing.
    /// PyTorch: `eq`.
    eq Eq;
    /// Where both differ, against a number or against a tensor with broadcasting. NaN differs from
    /// everything. PyTorch: `ne`.
    ne Ne;
}

struct Select {
    flags: Buffer<u8>,
    /// How each operand was stretched to the mask's shape.
    plans: [&'static Plan; 2],
}

impl<E: Element> Rule<E> for Select {
    fn name(&self) -> &'static str {
        "mask_select"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        for (i, plan) in self.plans.into_iter().enumerate() {
            if to.wanted(i) {
                // Chosen, not multiplied by 0: what was not chosen stays out even if it is not finite.
                let flag = u8::from(i == 0);
                let mut share = Buffer::from_slice(&grad);
                for (g, &chosen) in share.fresh().iter_mut().zip(&*self.flags) {
                    if chosen != flag {
                        *g = E::zero();
                    }
                }
                to.give(i, kernel::sum_to(share, plan.lhs_fold()));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("mask", Saved::Flags(&self.flags));
    }
}

fn select<E: Element>(
    flags: &Buffer<u8>,
    a: &Raw<E>,
    b: &Raw<E>,
    plans: [&'static Plan; 2],
    dims: Dims,
) -> Raw<E> {
    let mut values = layout::stretch(&b.values, plans[1]);
    let chosen = layout::stretch(&a.values, plans[0]);
    for ((value, &a), &flag) in values.fresh().iter_mut().zip(&*chosen).zip(&**flags) {
        if flag == 1 {
            *value = a;
        }
    }
    let node = parents([a.node.as_ref(), b.node.as_ref()]).map(|parents| {
        let flags = flags.clone();
        parents.record(dims, Select { flags, plans })
    });
    Raw { values, node }
}

impl<const R: usize, S: Shape<R>> Mask<R, S> {
    /// Elements of `a` where the mask is true, of `b` where it is false. PyTorch: `where`.
    ///
    /// Both operands stretch to the mask's shape; a number is one as `Tensor::scalar(0.0)`. The gradient goes to what was
    /// chosen; the other operand gets exact zeros, whatever its value.
    ///
    /// An operand whose own derivative is infinite where it is not chosen still turns these zeros into NaN
    /// (0·∞) further back: guard its input, not its output.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([-4.0f32, 9.0]).tracked();
    /// let safe = x.gt(0.0).select(&x, &Tensor::scalar(1.0));
    /// let root = x.gt(0.0).select(&safe.sqrt(), &x);
    /// assert_eq!(root.to_array(), [-4.0, 3.0]);
    /// root.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [1.0, 1.0 / 6.0]);
    /// ```
    pub fn select<const P: usize, const Q: usize, A, B, E>(
        &self,
        a: &Tensor<P, A, E>,
        b: &Tensor<Q, B, E>,
    ) -> Tensor<R, S, E>
    where
        A: Shape<P> + BroadcastTo<S>,
        B: Shape<Q> + BroadcastTo<S>,
        E: Element,
    {
        let plans = [<A as BroadcastTo<S>>::PLAN, <B as BroadcastTo<S>>::PLAN];
        Tensor::from_raw(<E::Ops as Compare<E>>::select(
            &self.flags,
            &a.raw,
            &b.raw,
            plans,
            S::DIMS,
        ))
    }

    /// The mask repeated to fill shape `T`: every `One` stretches, and axes are added in front. PyTorch:
    /// `expand`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let mask = Tensor::from([-1.0f32, 1.0]).gt(0.0);
    /// assert_eq!(mask.broadcast_to::<shape![2, 2]>().to_array(), [[false, true], [false, true]]);
    /// ```
    pub fn broadcast_to<T: AnyShape>(&self) -> MaskOf<T>
    where
        S: BroadcastTo<T>,
    {
        let plan = <S as BroadcastTo<T>>::PLAN;
        let mark = self.flags.mark();
        let plan = plan_of_marked(plan, mark);
        mask_of::<T>(layout::stretch(&self.flags, plan).marked(mark))
    }
}
