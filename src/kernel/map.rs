//! One function applied to every element.

use super::lanes::Lanes;
use super::parallel;
use super::wide::widest;
use crate::element::Element;
use crate::storage::{Buffer, Plain};

/// An operand: given away, and then perhaps reused for the result, or lent.
pub(crate) enum Source<'a, T: Plain> {
    /// The values may be overwritten if nobody else holds them.
    Owned(&'a mut Buffer<T>),
    /// The values stay.
    Shared(&'a Buffer<T>),
}

impl<T: Plain> std::ops::Deref for Source<'_, T> {
    type Target = Buffer<T>;
    fn deref(&self) -> &Buffer<T> {
        match self {
            Source::Owned(buffer) => buffer,
            Source::Shared(buffer) => buffer,
        }
    }
}

impl<T: Plain> Source<'_, T> {
    /// The values for writing, if they were given away and nobody else holds them.
    pub(super) fn reuse(&mut self) -> Option<&mut [T]> {
        match self {
            Source::Owned(buffer) => buffer.unique(),
            Source::Shared(_) => None,
        }
    }

    /// The values, out of an operand that was given away.
    pub(super) fn take(self) -> Buffer<T> {
        match self {
            Source::Owned(buffer) => std::mem::take(buffer),
            Source::Shared(buffer) => buffer.clone(),
        }
    }
}

/// The two loops of a function of one element. They are all that is compiled for each function: the code around
/// them calls them behind a pointer.
pub(crate) trait Map<E>: Sync {
    /// Replaces every value by the function of it.
    fn update(&self, values: &mut [E]);
    /// Writes the function of each `x`.
    fn write(&self, x: &[E], out: &mut [E]);
}

impl<E: Element, F: Fn(E) -> E + Sync> Map<E> for F {
    fn update(&self, values: &mut [E]) {
        for value in values {
            *value = self(*value);
        }
    }
    fn write(&self, x: &[E], out: &mut [E]) {
        for (out, &x) in out.iter_mut().zip(x) {
            *out = self(x);
        }
    }
}

/// A function of `N` elements without branches and calls, in lanes.
pub(crate) trait Pointwise<E: Element, const N: usize>: Sync {
    /// The function in each lane.
    fn at<V: Lanes<Element = E>>(&self, x: [V; N]) -> V;
}

/// A function whose loops are compiled for the widest vectors, where the processor has them. That takes time to compile:
/// it is for functions that are slower than memory.
pub(crate) struct Widest<F>(pub(crate) F);

impl<E: Element, F: Pointwise<E, 1>> Map<E> for Widest<F> {
    fn update(&self, values: &mut [E]) {
        update(values, &self.0);
    }
    fn write(&self, x: &[E], out: &mut [E]) {
        write(x, out, &self.0);
    }
}

impl<E: Element, F: Pointwise<E, 2>> MapWith<E> for Widest<F> {
    fn update(&self, values: &mut [E], partners: &[E]) {
        update_with(values, partners, &self.0);
    }
}

/// [`Widest`] for a function that is right in lanes for most numbers: where |x| is more than `limit`, or x is NaN, `beyond`
/// does it. Of two numbers, x is the second.
pub(crate) struct Within<F, G> {
    pub(crate) lanes: Widest<F>,
    pub(crate) limit: f64,
    pub(crate) beyond: G,
}

/// Numbers that are worked on together, in the nearest cache.
pub(super) const GROUP: usize = 1 << 10;

impl<F, G> Within<F, G> {
    /// Puts `beyond` where `x` is.
    fn correct<E: Element>(&self, x: &[E], out: &mut [E], beyond: impl Fn(usize, E) -> E) {
        let limit = E::of(self.limit);
        let outside = |x: E| (x.abs() <= limit) as u32 ^ 1;
        if x.iter().fold(0, |any, &x| any | outside(x)) == 0 {
            return;
        }
        for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
            if outside(x) == 1 {
                *out = beyond(i, x);
            }
        }
    }
}

impl<E: Element, F: Pointwise<E, 1>, G: Fn(E) -> E + Sync> Map<E> for Within<F, G> {
    fn update(&self, values: &mut [E]) {
        let mut before = [E::zero(); GROUP];
        for values in values.chunks_mut(GROUP) {
            let before = &mut before[..values.len()];
            before.copy_from_slice(values);
            self.write(before, values);
        }
    }
    fn write(&self, x: &[E], out: &mut [E]) {
        for (x, out) in x.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
            self.lanes.write(x, out);
            self.correct(&x[..out.len()], out, |_, x| (self.beyond)(x));
        }
    }
}

impl<E: Element, F: Pointwise<E, 2>, G: Fn(E, E) -> E + Sync> MapWith<E> for Within<F, G> {
    fn update(&self, values: &mut [E], partners: &[E]) {
        let mut before = [E::zero(); GROUP];
        for (values, partners) in values.chunks_mut(GROUP).zip(partners.chunks(GROUP)) {
            let before = &mut before[..values.len()];
            before.copy_from_slice(values);
            self.lanes.update(values, partners);
            self.correct(&partners[..values.len()], values, |i, x| {
                (self.beyond)(before[i], x)
            });
        }
    }
}

widest! {
    /// [`Map::update`]
    fn update<E; F: Pointwise<E, 1>>(values: &mut [E], f: &F) = update_each in lanes;
    /// [`Map::write`]
    fn write<E; F: Pointwise<E, 1>>(x: &[E], out: &mut [E], f: &F) = write_each in lanes;
    /// [`MapWith::update`]
    fn update_with<E; F: Pointwise<E, 2>>(values: &mut [E], partners: &[E], f: &F) = update_each_with in lanes;
}

/// Replaces every value by the function of it, lanes by lanes.
#[inline(always)]
pub(super) fn update_each<E, V, F>(values: &mut [E], f: &F)
where
    E: Element,
    V: Lanes<Element = E>,
    F: Pointwise<E, 1>,
{
    let mut lanes = values.chunks_exact_mut(V::COUNT);
    for values in &mut lanes {
        f.at([V::load(values)]).store(values);
    }
    let rest = lanes.into_remainder();
    f.at([V::load_part(rest)]).store_part(rest);
}

/// Writes the function of each `x` to its place in `out`, lanes by lanes.
#[inline(always)]
pub(super) fn write_each<E, V, F>(x: &[E], out: &mut [E], f: &F)
where
    E: Element,
    V: Lanes<Element = E>,
    F: Pointwise<E, 1>,
{
    let x = x[..out.len()].chunks_exact(V::COUNT);
    let rest = V::load_part(x.remainder());
    let mut lanes = out.chunks_exact_mut(V::COUNT);
    for (out, x) in lanes.by_ref().zip(x) {
        f.at([V::load(x)]).store(out);
    }
    f.at([rest]).store_part(lanes.into_remainder());
}

/// Replaces every value by the function of it and its partner, lanes by lanes.
#[inline(always)]
pub(super) fn update_each_with<E, V, F>(values: &mut [E], partners: &[E], f: &F)
where
    E: Element,
    V: Lanes<Element = E>,
    F: Pointwise<E, 2>,
{
    let partners = partners[..values.len()].chunks_exact(V::COUNT);
    let rest = V::load_part(partners.remainder());
    let mut lanes = values.chunks_exact_mut(V::COUNT);
    for (values, partners) in lanes.by_ref().zip(partners) {
        f.at([V::load(values), V::load(partners)]).store(values);
    }
    let values = lanes.into_remainder();
    f.at([V::load_part(values), rest]).store_part(values);
}

/// `f` of every element, in place where the operand may be reused.
pub(crate) fn map<E: Element>(x: Source<'_, E>, f: &dyn Map<E>) -> Buffer<E> {
    let mut x = x;
    if let Some(values) = x.reuse() {
        parallel::chunks(values, &|_: usize, piece: &mut [E]| f.update(piece));
        return x.take();
    }
    let x: &[E] = &x;
    let mut out = Buffer::dirty(x.len());
    parallel::fresh_chunks(out.fresh(), &[x], &|start: usize, piece: &mut [E]| {
        f.write(&x[start..], piece);
    });
    out
}

/// [`map`] of values that nothing else needs, in place; they are copied first if somebody else holds them.
pub(crate) fn map_owned<E: Element>(mut x: Buffer<E>, f: &dyn Map<E>) -> Buffer<E> {
    parallel::chunks(x.make_mut(), &|_: usize, piece: &mut [E]| f.update(piece));
    x
}

/// The loop of a function of two elements whose result takes the place of the first.
pub(crate) trait MapWith<E>: Sync {
    /// Replaces every value by the function of it and its partner.
    fn update(&self, values: &mut [E], partners: &[E]);
}

impl<E: Element, F: Fn(E, E) -> E + Sync> MapWith<E> for F {
    fn update(&self, values: &mut [E], partners: &[E]) {
        for (value, &partner) in values.iter_mut().zip(partners) {
            *value = self(*value, partner);
        }
    }
}

/// `f(a, b)` of two buffers of equal length, in place on `a`, which is copied if somebody else holds it.
pub(crate) fn map_with<E: Element>(a: Buffer<E>, b: &[E], f: &dyn MapWith<E>) -> Buffer<E> {
    let mut a = a;
    assert_eq!(a.len(), b.len());
    parallel::chunks(a.make_mut(), &|start: usize, piece: &mut [E]| {
        f.update(piece, &b[start..]);
    });
    a
}
