//! One function applied to every element.

use super::parallel;
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

/// A function whose loops are compiled a second time, for wider vectors, where the processor has them.
pub(crate) struct Widest<F>(pub(crate) F);

impl<E: Element, F: Fn(E) -> E + Sync> Map<E> for Widest<F> {
    fn update(&self, values: &mut [E]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide<E: Element, F: Fn(E) -> E>(f: &F, values: &mut [E]) {
                for value in values {
                    *value = f(*value);
                }
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { wide(&self.0, values) };
            }
        }
        Map::update(&self.0, values);
    }
    fn write(&self, x: &[E], out: &mut [E]) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2")]
            fn wide<E: Element, F: Fn(E) -> E>(f: &F, x: &[E], out: &mut [E]) {
                for (out, &x) in out.iter_mut().zip(x) {
                    *out = f(x);
                }
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { wide(&self.0, x, out) };
            }
        }
        Map::write(&self.0, x, out);
    }
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
    parallel::chunks(out.fresh(), &|start: usize, piece: &mut [E]| {
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
