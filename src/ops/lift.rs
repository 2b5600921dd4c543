//! Operations on tensors that hold many examples, along an axis that their types do not show.
//!
//! While a function is mapped (`autograd::vmap`), a typed method still passes on the sizes of one example.
//! Here they become those of all of them, by what they are: a [`Split`] gets more blocks, a [`Plan`] one more loop,
//! an operand that all examples share is repeated, or stretched by the plan. So each operation is mapped by its own
//! kernel and rule, which never learn of it; `compiled!` puts this in front of each. What cannot be expressed in
//! such sizes runs [by example](Lifting::examples).

use super::Operand;
use super::examples::{address, at_depth, dims_of, lifted, made_once, values_at_depth};
use super::{cut, join, loss::Reduce, reduce};
use crate::element::{Element, count};
use crate::graph::anomaly;
use crate::graph::level::{examples, mark_at, size_at};
use crate::shape::{Conv, Dims, EinsumOne, EinsumPair, Heads, Plan, Pooled, Share, Split};
use crate::storage::{Buffer, Mark, Plain};
use crate::tensor::Raw;
use std::convert::identity;

/// The examples that an operation runs on at once.
pub(crate) struct Lifting {
    depth: usize,
    mark: Mark,
    /// The product of the sizes that the levels further out map over.
    pub(crate) outer: usize,
    /// The size that the innermost level maps over.
    pub(crate) size: usize,
    /// How each operand takes part, in the order of the arguments.
    shares: Marks,
    /// For a loss: the number of its parts in each example.
    parts: Option<usize>,
}

/// The marks of an operation's operands.
#[derive(Clone, Copy)]
pub(crate) struct Marks {
    marks: [Mark; 4],
    len: usize,
}

impl Marks {
    pub(crate) const NONE: Marks = Marks {
        marks: [Mark::NONE; 4],
        len: 0,
    };

    pub(crate) fn push(&mut self, mark: Mark) {
        self.marks[self.len] = mark;
        self.len += 1;
    }

    fn all(&self) -> &[Mark] {
        &self.marks[..self.len]
    }
}

impl Lifting {
    /// Of operands of which one at least is marked.
    pub(crate) fn of(shares: Marks) -> Lifting {
        let depths = shares.all().iter().map(|mark| mark.depth());
        let depth = depths.max().unwrap_or(0);
        Lifting {
            depth,
            mark: mark_at(depth),
            outer: examples(depth - 1),
            size: size_at(depth),
            shares,
            parts: None,
        }
    }

    /// The same for a loss with so many parts in each example.
    pub(crate) fn with_parts(mut self, parts: usize) -> Lifting {
        self.parts = Some(parts);
        self
    }

    /// What results are marked with.
    pub(crate) fn mark(&self) -> Mark {
        self.mark
    }

    /// The number of examples.
    pub(crate) fn examples(&self) -> usize {
        self.outer * self.size
    }

    /// How operand `i` takes part; as all others do where there is none.
    pub(crate) fn share(&self, i: usize) -> Share {
        let mark = self.shares.all().get(i);
        mark.map_or(Share::Each, |mark| mark.share())
    }

    /// A tensor of all examples.
    pub(crate) fn whole<'x, E: Element>(&self, x: &'x Raw<E>) -> Handed<'x, Raw<E>> {
        if x.values.mark() == self.mark {
            return Handed::Lent(x);
        }
        Handed::Made(at_depth(x, self.depth))
    }

    /// A tensor as it is, if all examples share it or it has a part for each; else of all examples.
    pub(crate) fn planned<'x, E: Element>(&self, x: &'x Raw<E>) -> Handed<'x, Raw<E>> {
        match x.values.mark() {
            mark if mark.is_none() || mark.each() == self.mark => Handed::Lent(x),
            _ => self.whole(x),
        }
    }

    /// Values of all examples.
    pub(crate) fn values<'x, T: Plain>(&self, x: &'x Buffer<T>) -> Handed<'x, Buffer<T>> {
        if x.mark() == self.mark {
            return Handed::Lent(x);
        }
        Handed::Made(values_at_depth(x, self.depth))
    }

    /// Example `i` at the innermost level.
    pub(crate) fn example<'x, E: Element>(&self, x: &'x Raw<E>, i: usize) -> Handed<'x, Raw<E>> {
        let mark = x.values.mark();
        if mark.depth() < self.depth {
            return Handed::Lent(x);
        }
        let copies = self.examples() / mark.copies();
        let split = Split {
            outer: self.outer,
            len: self.size,
            inner: x.values.len() * copies / self.examples(),
        };
        let dims = dims_of(&[split.outer * split.inner]);
        let mut raw = if mark.share() == Share::Repeated {
            cut::select_repeated(x, split, i, dims)
        } else {
            cut::select(x, split, i, dims)
        };
        let outer = mark_at(self.depth - 1);
        raw.values = raw.values.marked(match mark.share() {
            Share::Repeated if self.depth > 1 => outer.repeated(),
            _ => outer,
        });
        Handed::Made(raw)
    }

    /// The values of example `i` at the innermost level.
    fn example_of<'x, T: Plain>(&self, x: &'x Buffer<T>, i: usize) -> Handed<'x, Buffer<T>> {
        if x.mark().depth() < self.depth {
            return Handed::Lent(x);
        }
        let inner = x.len() / self.examples();
        let place = |k: usize| x[(k / inner * self.size + i) * inner + k % inner];
        let values = Buffer::from_fn(self.outer * inner, place);
        Handed::Made(values.marked(mark_at(self.depth - 1)))
    }

    /// The sizes of all examples together: those of one, with the examples in the outermost.
    pub(crate) fn dims(&self, dims: Dims) -> Dims {
        lifted(dims, self.examples())
    }

    /// A plan whose operands take part in this way.
    pub(crate) fn plan(&self, plan: &'static Plan, lhs: Share, rhs: Share) -> &'static Plan {
        let key = [address(plan), self.examples(), lhs as usize, rhs as usize];
        made_once(key, || plan.mapped(self.examples(), lhs, rhs))
    }

    /// The sum, or the mean, of each example's losses.
    pub(crate) fn reduced<E: Element>(&self, losses: Raw<E>, reduce: Reduce) -> Raw<E> {
        let split = Split {
            outer: self.examples(),
            len: self.parts.unwrap_or(1),
            inner: 1,
        };
        let dims = dims_of(&[split.outer]);
        match reduce {
            Reduce::Each => losses,
            Reduce::Sum => reduce::sum(&losses, split, dims),
            Reduce::Mean => reduce::mean(&losses, split, dims),
            Reduce::Over(number) => {
                let mut sum = reduce::sum(&losses, split, dims);
                super::arithmetic::div_number(Operand::Owned(&mut sum), dims, count(number))
            }
        }
    }
}

/// Calls `body` in a frame of its own, so that a function which seldom does it pays nothing for it.
#[cold]
#[inline(never)]
pub(crate) fn apart<T>(body: impl FnOnce() -> T) -> T {
    body()
}

/// Calls `body`, and looks for anomalies in what it returns. Among `sizes` are those of the result.
pub(crate) fn examined<T: Outcome>(sizes: &[Option<Dims>], body: impl FnOnce() -> T) -> T {
    let outcome = body();
    if anomaly::on() {
        outcome.examine(sizes);
    }
    outcome
}

/// A multiple of the sizes that follow it in a call: with more examples there are more.
#[derive(Clone, Copy)]
pub(crate) struct Outer(pub(crate) usize);

/// An argument of an untyped operation: an operand, or a number that says something about operands.
pub(crate) trait Argument {
    /// What holds the argument for a call on many examples.
    type Held: Lend;

    /// True for an operand that belongs to a level.
    ///
    /// Each operand of each call is asked this, so this is also where it is looked at for anomalies.
    #[inline(always)]
    fn is_mapped(&self) -> bool {
        false
    }
    /// For sizes of one example: they may be those of the result.
    #[inline(always)]
    fn sizes(&self) -> Option<Dims> {
        None
    }
    /// Shows an operand to those who look for anomalies, as the operation begins.
    fn meets(&self) {}
    /// Notes what operands are marked with.
    fn note(&self, _: &mut Marks) {}
    /// The argument for all examples.
    fn whole(self, lifting: &Lifting) -> Self::Held;
    /// The argument for all examples, where plans say how operands take part.
    fn planned(self, lifting: &Lifting) -> Self::Held;
    /// The argument for example `i`.
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held;
}

/// Hands an argument to a call.
pub(crate) trait Lend {
    type Lent<'a>
    where
        Self: 'a;
    fn lend(&mut self) -> Self::Lent<'_>;
}

/// A reference, or what it would point to.
pub(crate) enum Handed<'x, T> {
    Lent(&'x T),
    Made(T),
}

impl<T> std::ops::Deref for Handed<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match self {
            Handed::Lent(value) => value,
            Handed::Made(value) => value,
        }
    }
}

impl<'x, T> Lend for Handed<'x, T> {
    type Lent<'a>
        = &'a T
    where
        'x: 'a;
    fn lend(&mut self) -> &T {
        self
    }
}

impl<'x, T, const N: usize> Lend for [Handed<'x, T>; N] {
    type Lent<'a>
        = [&'a T; N]
    where
        'x: 'a;
    fn lend(&mut self) -> [&T; N] {
        self.each_ref().map(|handed| &**handed)
    }
}

/// A value that is handed over as it is.
pub(crate) struct Kept<T>(pub(crate) T);

impl<T: Clone> Lend for Kept<T> {
    type Lent<'a>
        = T
    where
        T: 'a;
    fn lend(&mut self) -> T {
        self.0.clone()
    }
}

/// An operand that may be given away.
pub(crate) enum HeldOperand<'x, E: Element> {
    Given(Operand<'x, E>),
    Made(Raw<E>),
}

impl<'x, E: Element> Lend for HeldOperand<'x, E> {
    type Lent<'a>
        = Operand<'a, E>
    where
        'x: 'a;
    fn lend(&mut self) -> Operand<'_, E> {
        match self {
            HeldOperand::Given(Operand::Owned(raw)) => Operand::Owned(raw),
            HeldOperand::Given(Operand::Shared(raw)) => Operand::Shared(raw),
            HeldOperand::Made(raw) => Operand::Owned(raw),
        }
    }
}

impl<'x, E: Element> Argument for Operand<'x, E> {
    type Held = HeldOperand<'x, E>;
    #[inline(always)]
    fn is_mapped(&self) -> bool {
        !self.raw().values.mark().is_none()
    }
    fn meets(&self) {
        anomaly::reads(&self.raw().values);
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.raw().values.mark());
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        match lifting.whole(self.raw()) {
            Handed::Made(raw) => HeldOperand::Made(raw),
            Handed::Lent(_) => HeldOperand::Given(self),
        }
    }
    fn planned(self, lifting: &Lifting) -> Self::Held {
        match lifting.planned(self.raw()) {
            Handed::Made(raw) => HeldOperand::Made(raw),
            Handed::Lent(raw) if raw.values.mark() != lifting.mark => {
                // Its memory is too small for the result.
                HeldOperand::Given(self.shared())
            }
            Handed::Lent(_) => HeldOperand::Given(self),
        }
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        match lifting.example(self.raw(), i) {
            Handed::Made(raw) => HeldOperand::Made(raw),
            Handed::Lent(raw) => HeldOperand::Made(raw.clone()),
        }
    }
}

impl<'x, E: Element> Argument for &'x Raw<E> {
    type Held = Handed<'x, Raw<E>>;
    #[inline(always)]
    fn is_mapped(&self) -> bool {
        !self.values.mark().is_none()
    }
    fn meets(&self) {
        anomaly::reads(&self.values);
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.values.mark());
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        lifting.whole(self)
    }
    fn planned(self, lifting: &Lifting) -> Self::Held {
        lifting.planned(self)
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        lifting.example(self, i)
    }
}

impl<'x, E: Element, const N: usize> Argument for [&'x Raw<E>; N] {
    type Held = [Handed<'x, Raw<E>>; N];
    fn is_mapped(&self) -> bool {
        self.iter().any(|raw| raw.is_mapped())
    }
    fn meets(&self) {
        self.iter().for_each(|raw| raw.meets());
    }
    fn note(&self, marks: &mut Marks) {
        self.iter().for_each(|raw| raw.note(marks));
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        self.map(|raw| lifting.whole(raw))
    }
    fn planned(self, lifting: &Lifting) -> Self::Held {
        self.map(|raw| lifting.planned(raw))
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        self.map(|raw| lifting.example(raw, i))
    }
}

impl<'x, T: Plain> Argument for &'x Buffer<T> {
    type Held = Handed<'x, Buffer<T>>;
    #[inline(always)]
    fn is_mapped(&self) -> bool {
        !self.mark().is_none()
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.mark());
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        lifting.values(self)
    }
    fn planned(self, lifting: &Lifting) -> Self::Held {
        if self.mark().is_none() {
            return Handed::Lent(self);
        }
        lifting.values(self)
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        lifting.example_of(self, i)
    }
}

impl<T: Plain> Argument for Buffer<T> {
    type Held = Kept<Buffer<T>>;
    fn is_mapped(&self) -> bool {
        !self.mark().is_none()
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.mark());
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        Kept(lifting.values(&self).clone())
    }
    fn planned(self, lifting: &Lifting) -> Self::Held {
        self.whole(lifting)
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        Kept(lifting.example_of(self, i).clone())
    }
}

/// Arguments that are the same for all examples together as for one.
macro_rules! same_for_all {
    ($([$($generics:tt)*] $T:ty;)*) => {$(
        impl<$($generics)*> Argument for $T {
            type Held = Kept<$T>;
            fn whole(self, _: &Lifting) -> Self::Held {
                Kept(self)
            }
            fn planned(self, _: &Lifting) -> Self::Held {
                Kept(self)
            }
            fn example(&self, _: &Lifting, _: usize) -> Self::Held {
                Kept(self.clone())
            }
        }
    )*};
}
same_for_all! {
    [E: Element] E;
    [] usize;
    [] isize;
    [] i32;
    [] bool;
    [] [usize; 2];
    [] &'static EinsumOne;
    [] &'static EinsumPair;
    [] super::attention::Scores;
    [] super::conv::Direction;
    [] super::compare::Relation;
    [] super::masked::Kind;
    [] super::resample::Kind;
    [] crate::kernel::order::Order;
}

fn first(dims: [Dims; 2]) -> Dims {
    dims[0]
}

/// Arguments that grow with the number of examples.
macro_rules! larger {
    ($($T:ty $(, of $sizes:path)?: |$value:ident, $lifting:ident| $whole:expr, $planned:expr;)*) => {$(
        impl Argument for $T {
            type Held = Kept<$T>;
            $(
                #[inline(always)]
                fn sizes(&self) -> Option<Dims> {
                    Some($sizes(*self))
                }
            )?
            fn whole(self, $lifting: &Lifting) -> Self::Held {
                let $value = self;
                Kept($whole)
            }
            fn planned(self, $lifting: &Lifting) -> Self::Held {
                let $value = self;
                Kept($planned)
            }
            fn example(&self, _: &Lifting, _: usize) -> Self::Held {
                Kept(*self)
            }
        }
    )*};
    // Whether or not plans say how operands take part.
    (either: $($T:ty $(, of $sizes:path)?: |$value:ident, $lifting:ident| $whole:expr;)*) => {
        larger! { $($T $(, of $sizes)?: |$value, $lifting| $whole, $whole;)* }
    };
}
larger! { either:
    Split: |split, l| Split { outer: split.outer * l.examples(), ..split };
    Outer: |outer, l| Outer(outer.0 * l.examples());
    Heads: |heads, l| Heads { count: heads.count * l.examples(), ..heads };
    &'static Pooled: |pooled, _l| pooled;
    &'static Conv: |conv, l| made_once([address(conv), l.examples(), 0, 0], || Conv {
        images: conv.images * l.examples(),
        ..*conv
    });
    Dims, of identity: |dims, l| match l.parts {
        Some(parts) => dims_of(&[l.examples() * parts]),
        None => l.dims(dims),
    };
    [Dims; 2], of first: |dims, l| [l.dims(dims[0]), Argument::whole(dims[1], l).lend()];
    // The losses one by one; `Lifting::reduced` does the rest.
    Reduce: |_reduce, _l| Reduce::Each;
}
larger! {
    &'static Plan, of Plan::dims: |plan, l| l.plan(plan, Share::Each, Share::Each), l.plan(plan, l.share(0), l.share(1));
    [&'static Plan; 2]: |plans, l|
        plans.map(|plan| l.plan(plan, Share::Each, Share::Each)),
        plans.map(|plan| l.plan(plan, Share::Each, Share::Each));
}

/// What an untyped operation returns.
pub(crate) trait Outcome: Sized {
    /// As belonging to a level.
    fn marked(self, mark: Mark) -> Self;
    /// The outcomes of the innermost level's examples, as one.
    fn stack(examples: Vec<Self>, lifting: &Lifting) -> Self;
    /// Looks for anomalies. Among `sizes` are those of one example.
    fn examine(&self, sizes: &[Option<Dims>]);
}

impl<E: Element> Outcome for Raw<E> {
    fn marked(self, mark: Mark) -> Self {
        Raw {
            values: self.values.marked(mark),
            node: self.node,
        }
    }
    fn stack(examples: Vec<Self>, lifting: &Lifting) -> Self {
        let numel = examples[0].values.len() * examples.len();
        let parts: Vec<&Raw<E>> = examples.iter().collect();
        join::stacked_whole(&parts, lifting.outer, dims_of(&[numel])).marked(lifting.mark)
    }
    fn examine(&self, sizes: &[Option<Dims>]) {
        let own = self.own();
        let fits = |dims: &&Dims| dims.iter().product::<usize>() == own;
        let dims = sizes.iter().flatten().find(fits).copied();
        anomaly::result(self, dims.unwrap_or_else(|| dims_of(&[own])));
    }
}

impl<T: Plain> Outcome for Buffer<T> {
    fn marked(self, mark: Mark) -> Self {
        Buffer::marked(self, mark)
    }
    fn stack(examples: Vec<Self>, lifting: &Lifting) -> Self {
        let parts: Vec<&[T]> = examples.iter().map(|part| &**part).collect();
        crate::kernel::layout::join(&parts, lifting.outer).marked(lifting.mark)
    }
    fn examine(&self, _: &[Option<Dims>]) {
        anomaly::forget();
    }
}

impl<A: Outcome, B: Outcome> Outcome for (A, B) {
    fn marked(self, mark: Mark) -> Self {
        (self.0.marked(mark), self.1.marked(mark))
    }
    fn stack(examples: Vec<Self>, lifting: &Lifting) -> Self {
        let (first, second) = examples.into_iter().unzip();
        (A::stack(first, lifting), B::stack(second, lifting))
    }
    fn examine(&self, sizes: &[Option<Dims>]) {
        self.0.examine(sizes);
        self.1.examine(sizes);
    }
}

/// The number of values that an operand has for each example.
pub(crate) trait Own {
    fn own(&self) -> usize;
}

impl<T: Plain> Own for Buffer<T> {
    fn own(&self) -> usize {
        self.len() / self.mark().copies().max(1)
    }
}

impl<E: Element> Own for Raw<E> {
    fn own(&self) -> usize {
        self.values.own()
    }
}
