//! One function applied to every element.

use super::parallel;
use crate::element::Element;
use crate::storage::{Buffer, Plain};

/// An operand: owned, and then perhaps reused for the result, or borrowed.
pub(crate) enum Source<'a, T: Plain> {
    /// The values may be overwritten if nobody else holds them.
    Owned(Buffer<T>),
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
    #[inline(always)]
    /// The buffer, if it is owned and nobody else holds it.
    pub(crate) fn reusable(self) -> Result<Buffer<T>, Self> {
        match self {
            Source::Owned(buffer) if buffer.is_unique() => Ok(buffer),
            other => Err(other),
        }
    }
}

/// `f` of every element, in place where the operand may be reused.
#[inline(always)]
pub(crate) fn map<E: Element>(x: Source<'_, E>, f: impl Fn(E) -> E + Sync) -> Buffer<E> {
    match x.reusable() {
        Ok(mut buffer) => {
            parallel::chunks(buffer.fresh(), &|_: usize, piece: &mut [E]| {
                for value in piece {
                    *value = f(*value);
                }
            });
            buffer
        }
        Err(x) => {
            let x: &[E] = &x;
            let mut out = Buffer::dirty(x.len());
            parallel::chunks(out.fresh(), &|start: usize, piece: &mut [E]| {
                for (out, &value) in piece.iter_mut().zip(&x[start..]) {
                    *out = f(value);
                }
            });
            out
        }
    }
}

/// `f(a, b)` of two buffers of equal length, in place on `a` where nobody else holds it.
#[inline(always)]
pub(crate) fn map_with<E: Element>(
    a: Buffer<E>,
    b: &[E],
    f: impl Fn(E, E) -> E + Sync,
) -> Buffer<E> {
    let mut a = a;
    assert_eq!(a.len(), b.len());
    if let Some(values) = a.unique() {
        parallel::chunks(values, &|start: usize, piece: &mut [E]| {
            for (value, &b) in piece.iter_mut().zip(&b[start..]) {
                *value = f(*value, b);
            }
        });
        return a;
    }
    let mut out = Buffer::dirty(a.len());
    parallel::chunks(out.fresh(), &|start: usize, piece: &mut [E]| {
        for ((out, &a), &b) in piece.iter_mut().zip(&a[start..]).zip(&b[start..]) {
            *out = f(a, b);
        }
    });
    out
}

/// [`map`] by a pointer to the function: one loop for all that come this way.
#[inline(never)]
pub(crate) fn map_called<E: Element>(x: Source<'_, E>, f: &(dyn Fn(E) -> E + Sync)) -> Buffer<E> {
    map(x, f)
}

/// [`map_with`] by a pointer to the function: one loop for all that come this way.
#[inline(never)]
pub(crate) fn map_with_called<E: Element>(
    a: Buffer<E>,
    b: &[E],
    f: &(dyn Fn(E, E) -> E + Sync),
) -> Buffer<E> {
    map_with(a, b, f)
}
