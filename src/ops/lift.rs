//! Operations on tensors that hold many examples, along an axis that their types do not show.
//!
//! While a function is mapped (`autograd::vmap`), a typed method still passes on the sizes of one example.
//! Here they become those of all of them, by what they are: a [`Split`] gets more blocks, a [`Plan`] one more loop,
//! an operand that all examples share is repeated, or stretched by the plan. So each operation is mapped by its own
//! kernel and rule, which never learn of it; `compiled!` puts this in front of each. What cannot be expressed in
//! such sizes runs [by example](by_example).

use super::Operand;
use super::argument::{Argument, Handed};
use super::examples::{address, at_depth, dims_of, lifted, made_once, values_at_depth};
use super::{cut, join, loss::Reduce, reduce};
use crate::element::{Element, count};
use crate::graph::anomaly;
use crate::graph::level::{examples, mark_at, size_at};
use crate::shape::{Dims, Plan, Share, Split};
use crate::storage::{Buffer, Mark, Plain};
use crate::tensor::Raw;

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
    pub(super) parts: Option<usize>,
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
    pub(super) fn example_of<'x, T: Plain>(
        &self,
        x: &'x Buffer<T>,
        i: usize,
    ) -> Handed<'x, Buffer<T>> {
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

/// Calls an operation with arguments that are held for it.
pub(crate) type Call<A, T> = fn(&mut <A as Argument>::Held) -> T;

/// Runs an operation apart from where it usually runs: in this way on many examples, if its arguments are mapped;
/// looking for anomalies, if somebody wants to know.
#[cold]
#[inline(never)]
pub(crate) fn apart<A: Argument, T: Outcome>(
    args: A,
    mapped: bool,
    way: fn(A, Lifting, Call<A, T>) -> T,
    call: Call<A, T>,
) -> T {
    let mut sizes = Vec::new();
    if anomaly::on() {
        args.meets(&mut sizes);
    }
    let outcome = if mapped {
        let mut shares = Marks::NONE;
        args.note(&mut shares);
        way(args, Lifting::of(shares), call)
    } else {
        call(&mut args.given())
    };
    if anomaly::on() {
        outcome.examine(&sizes);
    }
    outcome
}

/// Once, with operands and sizes of all examples.
pub(crate) fn whole<A: Argument, T: Outcome>(args: A, lifting: Lifting, call: Call<A, T>) -> T {
    call(&mut args.whole(&lifting)).marked(lifting.mark)
}

/// The same, but operands that all examples share are left to the plan to stretch.
pub(crate) fn planned<A: Argument, T: Outcome>(args: A, lifting: Lifting, call: Call<A, T>) -> T {
    call(&mut args.planned(&lifting)).marked(lifting.mark)
}

/// Once, for the losses one by one, of which each example has so many; then they are reduced.
pub(crate) fn losses<A: Argument, E: Element>(
    args: A,
    mut lifting: Lifting,
    call: Call<A, Raw<E>>,
    (reduce, parts): (Reduce, usize),
) -> Raw<E> {
    lifting.parts = Some(parts);
    let losses = call(&mut args.whole(&lifting));
    lifting.reduced(losses, reduce).marked(lifting.mark)
}

/// As `whole`, but for the argument of this number: all examples share it, and it is left as it is.
pub(crate) fn all_but<A: Argument, T: Outcome>(
    args: A,
    lifting: Lifting,
    call: Call<A, T>,
    shared: Option<usize>,
) -> T {
    call(&mut args.all_but(&lifting, shared)).marked(lifting.mark)
}

/// For one example after the other.
pub(crate) fn by_example<A: Argument, T: Outcome>(
    args: A,
    lifting: Lifting,
    call: Call<A, T>,
) -> T {
    let mut outcomes = Vec::with_capacity(lifting.size);
    for i in 0..lifting.size {
        outcomes.push(call(&mut args.example(&lifting, i)));
    }
    T::stack(outcomes, &lifting)
}

/// What an untyped operation returns.
pub(crate) trait Outcome: Sized {
    /// As belonging to a level.
    fn marked(self, mark: Mark) -> Self;
    /// The outcomes of the innermost level's examples, as one.
    fn stack(examples: Vec<Self>, lifting: &Lifting) -> Self;
    /// Looks for anomalies. Among `sizes` are those of one example.
    fn examine(&self, sizes: &[Dims]);
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
    fn examine(&self, sizes: &[Dims]) {
        let own = self.own();
        let fits = |dims: &&Dims| dims.iter().product::<usize>() == own;
        let dims = sizes.iter().find(fits).copied();
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
    fn examine(&self, _: &[Dims]) {
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
    fn examine(&self, sizes: &[Dims]) {
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
