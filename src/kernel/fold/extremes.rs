//! The largest or smallest values along an axis, and where they stand.

use super::{Cut, Folding, Place, State, fold};
use crate::element::Element;
use crate::kernel::lanes::Lanes;
use crate::kernel::parallel;
use crate::kernel::wide::widest;
use crate::shape::Split;
use crate::storage::{Buffer, Plain};

/// Which values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Largest,
    Smallest,
}

impl Wanted {
    /// 1, or −1: the smallest is the largest of the negatives.
    fn sign<E: Element>(self) -> E {
        match self {
            Wanted::Largest => E::one(),
            Wanted::Smallest => -E::one(),
        }
    }
}

/// The state: the best value times `sign`; its place in the piece, ∞ if all were −∞; and the piece of the line.
struct Extreme<E> {
    /// [`Wanted::sign`]
    sign: E,
}

impl<E: Element> Folding<E> for Extreme<E> {
    fn start(&self, piece: E) -> State<E> {
        [E::neg_infinity(), E::infinity(), piece]
    }
    #[inline(always)]
    fn take<V: Lanes<Element = E>, const N: usize>(
        &self,
        [best, at, piece]: State<V>,
        values: [V; N],
        place: Place<V>,
    ) -> State<V> {
        let (sign, mut here) = (V::splat(self.sign), place.at);
        let (mut best, mut at) = (best, at);
        for value in values {
            let value = value * sign;
            // A NaN is better than any number, the first one than those behind it.
            at = best.if_nan(at, value.if_nan(here, best.if_less(value, here, at)));
            best = better(best, value);
            here = here + place.step;
        }
        [best, at, piece]
    }
    #[inline(always)]
    fn join<V: Lanes<Element = E>>(&self, a: State<V>, b: State<V>) -> State<V> {
        let mut joined = a;
        for p in 0..3 {
            // Of equal ones, that in the earlier piece, and of those in one piece that at the earlier place.
            let first = a[1].if_less(b[1], a[p], b[p]);
            let first = a[2].if_less(b[2], a[p], b[2].if_less(a[2], b[p], first));
            let best = b[0].if_less(a[0], a[p], a[0].if_less(b[0], b[p], first));
            joined[p] = a[0].if_nan(b[0].if_nan(first, a[p]), b[0].if_nan(b[p], best));
        }
        joined
    }
}

/// The state: the best value times `sign`; the rest is unused.
struct Best<E> {
    sign: E,
}

impl<E: Element> Folding<E> for Best<E> {
    fn start(&self, _: E) -> State<E> {
        [E::neg_infinity(); 3]
    }
    #[inline(always)]
    fn take<V: Lanes<Element = E>, const N: usize>(
        &self,
        [mut best, a, b]: State<V>,
        values: [V; N],
        _: Place<V>,
    ) -> State<V> {
        let sign = V::splat(self.sign);
        for value in values {
            best = better(best, value * sign);
        }
        [best, a, b]
    }
    #[inline(always)]
    fn join<V: Lanes<Element = E>>(
        &self,
        [best, a, b]: State<V>,
        [other, ..]: State<V>,
    ) -> State<V> {
        [better(best, other), a, b]
    }
}

/// The larger one, or NaN.
#[inline(always)]
fn better<V: Lanes>(best: V, value: V) -> V {
    value.if_nan(value, value.or_larger(best))
}

/// The best value along the middle axis; a NaN is better than any number. Of zeros it may be either.
pub(crate) fn extreme<E: Element>(x: &[E], split: Split, wanted: Wanted) -> Buffer<E> {
    let f = Best {
        sign: wanted.sign(),
    };
    let mut values = for_each_line(split);
    let best = values.fresh();
    let Split { len, inner, .. } = split;
    if inner == 1 && (AT_ONCE..=parallel::CHUNK).contains(&len) {
        let each = parallel::CHUNK / len;
        parallel::rows(best, each, x.len(), &|start: usize, best: &mut [E]| {
            best_of_lines(&x[start * len..], len, f.sign, best);
        });
        return values;
    }
    fold(x, Cut::new(split), &f, &mut |start, [value, ..]| {
        for (best, &value) in best[start..].iter_mut().zip(value) {
            *best = value * f.sign;
        }
    });
    values
}

/// Values of a line that are taken in at once.
const AT_ONCE: usize = 64;

widest! {
    /// Writes the best value times `sign` of each line of so many values, times `sign` again.
    fn best_of_lines<E>(x: &[E], len: usize, sign: E, best: &mut [E]) = best_of_lines_in in lanes;
}

#[inline(always)]
fn best_of_lines_in<E: Element, V: Lanes<Element = E>>(
    x: &[E],
    len: usize,
    sign: E,
    best: &mut [E],
) {
    let signs = V::splat(sign);
    for (line, best) in x.chunks_exact(len).zip(best) {
        // The first ones are enough.
        let mut bests = [V::splat(E::neg_infinity()); AT_ONCE];
        let bests = &mut bests[..AT_ONCE / V::COUNT];
        for start in (0..len).step_by(AT_ONCE) {
            // The last values may be taken in twice.
            let values = &line[start.min(len - AT_ONCE)..][..AT_ONCE];
            for (k, best) in bests.iter_mut().enumerate() {
                *best = better(*best, V::load(&values[k * V::COUNT..]) * signs);
            }
        }
        let mut width = bests.len();
        while width > 1 {
            width /= 2;
            for i in 0..width {
                bests[i] = better(bests[i], bests[i + width]);
            }
        }
        let wrong = bests[0].if_nan(V::of(1.0), V::of(0.0)).largest();
        *best = if wrong > E::zero() {
            E::nan()
        } else {
            bests[0].largest() * sign
        };
    }
}

/// The best value along the middle axis and where it first stands; a NaN is better than any number.
pub(crate) fn extreme_and_place<E: Element>(
    x: &[E],
    split: Split,
    wanted: Wanted,
) -> (Buffer<E>, Buffer<usize>) {
    let (mut values, mut positions) = (for_each_line(split), for_each_line(split));
    let (best, at) = (values.fresh(), positions.fresh());
    let f = Extreme {
        sign: wanted.sign(),
    };
    let cut = Cut::new(split);
    fold(x, cut, &f, &mut |start, [value, place, piece]| {
        for (i, &value) in value.iter().enumerate() {
            best[start + i] = value * f.sign;
            let place = if place[i].is_finite() {
                whole(place[i])
            } else {
                0
            };
            at[start + i] = whole(piece[i]) * cut.long + place;
        }
    });
    (values, positions)
}

/// Room for the result, of lines that are not empty.
fn for_each_line<T: Plain>(split: Split) -> Buffer<T> {
    let lines = split.outer * split.inner;
    assert!(split.len > 0 || lines == 0, "the best of an empty axis");
    Buffer::dirty(lines)
}

fn whole<E: Element>(number: E) -> usize {
    number.to_usize().expect("a number of a place or a piece")
}
