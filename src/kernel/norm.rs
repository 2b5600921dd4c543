//! Lines brought to mean 0 and variance 1.

use super::lanes::Lanes;
use super::map::{self, Pointwise};
use super::parallel::Parts;
use super::softmax::{self, Columns, Lines, along};
use super::sum::{self, Products, Values};
use crate::element::{Element, count};
use crate::shape::Split;
use crate::storage::Buffer;

struct Forward<'a, E: Element> {
    x: &'a [E],
    eps: E,
    /// Where the factors of the lines go.
    factors: Parts<'a, E>,
}

// The first value of a line is subtracted before the mean is taken: it may be large, and the mean would be rounded to
// its size.
impl<E: Element> Lines<E> for Forward<'_, E> {
    const FRESH: bool = true;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, out: &mut [E], number: usize) {
        let x = &self.x[number * out.len()..][..out.len()];
        let n: E = count(x.len());
        map::write_each::<_, V, _>(x, out, &Less(x[0]));
        let mean = sum::of_values::<_, V>(out) / n;
        map::update_each::<_, V, _>(out, &Less(mean));
        let variance = sum::of_terms::<V>(Products(out, out)) / n;
        let factor = (variance + self.eps).sqrt().recip();
        softmax::scale::<V>(out, factor);
        // SAFETY: each line is visited once.
        let place = unsafe { self.factors.part(number..number + 1) };
        place[0] = factor;
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, out: &mut [E], block: usize, lines: Columns<V>) {
        let x = &self.x[block * out.len()..][..out.len()];
        let (n, first) = (V::splat(count(lines.len)), lines.get(x, 0));
        for i in 0..lines.len {
            lines.set(out, i, lines.get(x, i) - first);
        }
        let mean = lines.sum(Values(out)) / n;
        for i in 0..lines.len {
            lines.set(out, i, lines.get(out, i) - mean);
        }
        let variance = lines.sum(Products(out, out)) / n;
        let factors = V::of(1.0) / (variance + V::splat(self.eps)).each(E::sqrt);
        for i in 0..lines.len {
            lines.set(out, i, lines.get(out, i) * factors);
        }
        let start = block * lines.step + lines.start;
        // SAFETY: as above.
        lines.put(
            unsafe { self.factors.part(start..start + lines.count) },
            factors,
        );
    }
}

/// Each line with its mean subtracted, divided by √(variance + eps); and by what the lines were multiplied.
pub(crate) fn normalise<E: Element>(x: &[E], split: Split, eps: E) -> (Buffer<E>, Buffer<E>) {
    let mut out = Buffer::dirty(x.len());
    // Of lines that are empty there is nothing to multiply.
    let mut factors = Buffer::filled(split.outer * split.inner, E::one());
    let work = Forward {
        x,
        eps,
        factors: Parts::new(factors.fresh()),
    };
    along(split, out.fresh(), split.len, &work);
    (out, factors)
}

struct Backward<'a, E> {
    y: &'a [E],
    factors: &'a [E],
}

impl<E: Element> Lines<E> for Backward<'_, E> {
    const FRESH: bool = false;
    #[inline(always)]
    fn row<V: Lanes<Element = E>>(&self, grad: &mut [E], number: usize) {
        let y = &self.y[number * grad.len()..][..grad.len()];
        let n: E = count(grad.len());
        let slope = Slope {
            mean: sum::of_values::<_, V>(grad) / n,
            tilt: sum::of_terms::<V>(Products(grad, y)) / n,
            factor: self.factors[number],
        };
        map::update_each_with::<_, V, _>(grad, y, &slope);
    }
    #[inline(always)]
    fn columns<V: Lanes<Element = E>>(&self, grad: &mut [E], block: usize, lines: Columns<V>) {
        let y = &self.y[block * grad.len()..][..grad.len()];
        let n = V::splat(count(lines.len));
        let mean = lines.sum(Values(grad)) / n;
        let tilt = lines.sum(Products(grad, y)) / n;
        let factors = lines.get(&self.factors[block * lines.step..], 0);
        for i in 0..lines.len {
            let part = (lines.get(grad, i) - mean) - lines.get(y, i) * tilt;
            lines.set(grad, i, part * factors);
        }
    }
}

/// The gradient, given that of the result y and the factors.
pub(crate) fn normalise_backward<E: Element>(
    mut grad: Buffer<E>,
    y: &[E],
    factors: &[E],
    split: Split,
) -> Buffer<E> {
    along(split, grad.make_mut(), split.len, &Backward { y, factors });
    grad
}

/// x − number
struct Less<E>(E);
impl<E: Element> Pointwise<E, 1> for Less<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x]: [V; 1]) -> V {
        x - V::splat(self.0)
    }
}

/// ((g − mean) − y·tilt)·factor
struct Slope<E> {
    mean: E,
    tilt: E,
    factor: E,
}
impl<E: Element> Pointwise<E, 2> for Slope<E> {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [g, y]: [V; 2]) -> V {
        ((g - V::splat(self.mean)) - y * V::splat(self.tilt)) * V::splat(self.factor)
    }
}
