//! The arguments of untyped operations, and what they are for many examples.

use super::Operand;
use super::examples::{address, dims_of, made_once};
use super::lift::{Lifting, Marks};
use super::loss::Reduce;
use crate::element::Element;
use crate::graph::anomaly;
use crate::shape::{Conv, Dims, EinsumOne, EinsumPair, Heads, Plan, Pooled, Share, Split};
use crate::storage::{Buffer, Plain};
use crate::tensor::Raw;
use std::convert::identity;

/// A multiple of the sizes that follow it in a call: with more examples there are more.
#[derive(Clone, Copy)]
pub(crate) struct Outer(pub(crate) usize);

/// An argument of an untyped operation: an operand, or a number that says something about operands; or all arguments.
pub(crate) trait Argument: Sized {
    /// What holds the argument for a call on many examples.
    type Held;

    /// True for an operand that belongs to a level.
    ///
    /// Each operand of each call is asked this, so this is also where it is looked at for anomalies.
    #[inline(always)]
    fn is_mapped(&self) -> bool {
        false
    }
    /// Shows an operand to those who look for anomalies, as the operation begins. Notes sizes of one example, which
    /// may be those of the result.
    fn meets(&self, _: &mut Vec<Dims>) {}
    /// Notes what operands are marked with.
    fn note(&self, _: &mut Marks) {}
    /// The argument as it is.
    fn given(self) -> Self::Held;
    /// The argument for all examples.
    fn whole(self, _: &Lifting) -> Self::Held {
        self.given()
    }
    /// The argument for all examples, where plans say how operands take part.
    fn planned(self, lifting: &Lifting) -> Self::Held {
        self.whole(lifting)
    }
    /// Arguments for all examples, but for the one of this number, which they share.
    fn all_but(self, lifting: &Lifting, _: Option<usize>) -> Self::Held {
        self.whole(lifting)
    }
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
    fn meets(&self, _: &mut Vec<Dims>) {
        anomaly::reads(&self.raw().values);
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.raw().values.mark());
    }
    fn given(self) -> Self::Held {
        HeldOperand::Given(self)
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
            Handed::Lent(raw) if raw.values.mark() != lifting.mark() => {
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
    fn meets(&self, _: &mut Vec<Dims>) {
        anomaly::reads(&self.values);
    }
    fn note(&self, marks: &mut Marks) {
        marks.push(self.values.mark());
    }
    fn given(self) -> Self::Held {
        Handed::Lent(self)
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
    fn meets(&self, sizes: &mut Vec<Dims>) {
        self.iter().for_each(|raw| raw.meets(sizes));
    }
    fn note(&self, marks: &mut Marks) {
        self.iter().for_each(|raw| raw.note(marks));
    }
    fn given(self) -> Self::Held {
        self.map(Handed::Lent)
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
    fn given(self) -> Self::Held {
        Handed::Lent(self)
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
    fn given(self) -> Self::Held {
        Kept(self)
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        Kept(lifting.values(&self).clone())
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
            fn given(self) -> Self::Held {
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
                fn meets(&self, all: &mut Vec<Dims>) {
                    all.push($sizes(*self));
                }
            )?
            fn given(self) -> Self::Held {
                Kept(self)
            }
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

/// All arguments of a call.
macro_rules! together {
    ($($($A:ident)*;)*) => {$(
        #[allow(non_snake_case)]
        impl<$($A: Argument),*> Argument for ($($A,)*) {
            type Held = ($($A::Held,)*);
            fn is_mapped(&self) -> bool {
                let ($($A,)*) = self;
                $($A.is_mapped())||*
            }
            fn meets(&self, sizes: &mut Vec<Dims>) {
                let ($($A,)*) = self;
                $($A.meets(sizes);)*
            }
            fn note(&self, marks: &mut Marks) {
                let ($($A,)*) = self;
                $($A.note(marks);)*
            }
            fn given(self) -> Self::Held {
                let ($($A,)*) = self;
                ($($A.given(),)*)
            }
            fn whole(self, lifting: &Lifting) -> Self::Held {
                let ($($A,)*) = self;
                ($($A.whole(lifting),)*)
            }
            fn all_but(self, lifting: &Lifting, shared: Option<usize>) -> Self::Held {
                let ($($A,)*) = self;
                let mut numbers = 0..;
                ($(
                    if numbers.next() == shared {
                        $A.planned(lifting)
                    } else {
                        $A.whole(lifting)
                    },
                )*)
            }
            fn planned(self, lifting: &Lifting) -> Self::Held {
                let ($($A,)*) = self;
                ($($A.planned(lifting),)*)
            }
            fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
                let ($($A,)*) = self;
                ($($A.example(lifting, i),)*)
            }
        }
    )*};
}
together! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D F;
    A B C D F G;
    A B C D F G H;
    A B C D F G H I;
}
