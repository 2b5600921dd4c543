//! Running sums, products and extremes along one axis, and the way back through them and through products.

use super::parallel;
use crate::element::Element;
use crate::shape::Split;
use crate::storage::{Buffer, Plain};
use num_traits::Zero;

/// Neighbouring lines that are walked side by side: their states stay in the nearest cache.
const TILE: usize = 64;
/// Lines one behind the other that are walked side by side, so that one need not wait for another's last step; few
/// enough that the nearest cache holds a place on each, where they lie powers of two apart.
const ROWS: usize = 4;

/// Walks every line along the middle axis, from its end if `backwards`. `step` gets the line's state, the
/// position on the line and the place in memory, and returns what to write there.
fn scan<V: Plain, T: Copy + Sync>(
    split: Split,
    backwards: bool,
    start: T,
    step: impl Fn(&mut T, usize, usize) -> V + Sync,
) -> Buffer<V> {
    let Split { outer, len, inner } = split;
    let block = len * inner;
    let mut out = Buffer::dirty(outer * block);
    if block == 0 {
        return out;
    }
    let (each, elements) = ((parallel::CHUNK / block).max(1), out.len());
    parallel::rows(
        out.fresh(),
        each * block,
        elements,
        &|first: usize, piece: &mut [V]| {
            let blocks = piece.len() / block;
            // Walks lines that begin in `piece` at `base` and `apart` from each other.
            let mut walk = |base: usize, lines: usize, apart: usize| {
                let mut states = [start; TILE];
                let states = &mut states[..lines];
                for l in 0..len {
                    let l = if backwards { len - 1 - l } else { l };
                    let row = base + l * inner;
                    for (i, state) in states.iter_mut().enumerate() {
                        let place = row + i * apart;
                        piece[place] = step(state, l, first + place);
                    }
                }
            };
            if inner == 1 {
                for top in (0..blocks).step_by(ROWS) {
                    walk(top * len, ROWS.min(blocks - top), len);
                }
                return;
            }
            for o in 0..blocks {
                for left in (0..inner).step_by(TILE) {
                    walk(o * block + left, TILE.min(inner - left), 1);
                }
            }
        },
    );
    out
}

/// The sum of everything up to each element, or from it on if `backwards`.
///
/// The error does not grow with the length: sums have more digits than elements, or, where no type has more, what each
/// addition rounds away is kept (Knuth's two-sum) and added to the next.
pub(crate) fn cumsum<E: Element>(x: &[E], split: Split, backwards: bool) -> Buffer<E> {
    if size_of::<E::Wide>() > size_of::<E>() {
        return scan(split, backwards, E::Wide::zero(), |sum, _, at| {
            *sum += x[at].widen();
            E::narrow(*sum)
        });
    }
    let start = (E::zero(), E::zero());
    scan(split, backwards, start, |(sum, lost), _, at| {
        let (x, before) = (x[at], *sum);
        let rough = before + x;
        let added = rough - before;
        let error = (before - (rough - added)) + (x - added);
        let tail = *lost + error;
        if tail.is_finite() {
            *sum = rough + tail;
            *lost = tail - (*sum - rough);
        } else {
            // Where the sum is infinite there is no error to speak of: ∞ − ∞.
            (*sum, *lost) = (rough, E::zero());
        }
        *sum
    })
}

/// The product of everything up to each element.
pub(crate) fn cumprod<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    scan(split, false, E::one(), |product, _, at| {
        *product *= x[at];
        *product
    })
}

/// The gradient of [`cumprod`]'s operand: `x`, its result `y`, and that result's gradient.
///
/// Element k takes part in every product from k on, each without it: yₖ₋₁·(gₖ + xₖ₊₁·(gₖ₊₁ + xₖ₊₂·(..))).
/// Nothing is divided, so zeros do no harm.
pub(crate) fn cumprod_backward<E: Element>(
    x: &[E],
    y: &[E],
    grad: &[E],
    split: Split,
) -> Buffer<E> {
    let start = (E::zero(), E::zero());
    scan(split, true, start, |(rest, next), l, at| {
        *rest = grad[at] + *next * *rest;
        *next = x[at];
        if l == 0 {
            *rest
        } else {
            y[at - split.inner] * *rest
        }
    })
}

/// ln Σ eˣ over everything up to each element.
pub(crate) fn logcumsumexp<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    // The largest element so far, and the sum of e to the power of what each lies below it.
    let start = (E::neg_infinity(), E::zero());
    scan(split, false, start, |(max, sum), _, at| {
        let x = x[at];
        if x > *max || x.is_nan() {
            *sum = *sum * (*max - x).exp() + E::one();
            *max = x;
        } else if x == *max && x.is_infinite() {
            // Not x − max, which is NaN; and e to the power of −∞ adds nothing.
            if x > E::neg_infinity() {
                *sum += E::one();
            }
        } else {
            *sum += (x - *max).exp();
        }
        *max + sum.ln()
    })
}

/// The gradient of [`logcumsumexp`]'s operand: `x`, its result `y`, and that result's gradient.
///
/// e to the power of xₖ − yₖ, times Σ gⱼ·e to the power of yₖ − yⱼ from k on: results do not fall, so no
/// exponent is positive.
pub(crate) fn logcumsumexp_backward<E: Element>(
    x: &[E],
    y: &[E],
    grad: &[E],
    split: Split,
) -> Buffer<E> {
    let start = (E::zero(), E::infinity());
    scan(split, true, start, |(rest, next), _, at| {
        if y[at] == E::neg_infinity() {
            return E::zero();
        }
        *rest = if *next == E::infinity() && y[at] < *next {
            // Nothing follows, or nothing next to which this counts.
            grad[at]
        } else {
            grad[at] + (y[at] - *next).exp() * *rest
        };
        *next = y[at];
        (x[at] - y[at]).exp() * *rest
    })
}

/// Where the best element up to each element stands in memory: the first of equals; a NaN is better than
/// any number.
pub(crate) fn cumbest<E: Element>(
    x: &[E],
    split: Split,
    better: impl Fn(E, E) -> bool + Sync,
) -> Buffer<usize> {
    scan(split, false, (E::zero(), 0), |(best, place), l, at| {
        let x = x[at];
        if l == 0 || better(x, *best) || (x.is_nan() && !best.is_nan()) {
            (*best, *place) = (x, at);
        }
        *place
    })
}

/// The gradient of the operand of a product over the middle axis: that of the result times all other elements.
///
/// The elements before one are multiplied, then those behind it; nothing is divided, so zeros do no harm.
pub(crate) fn product_backward<E: Element>(x: &[E], grad: &[E], split: Split) -> Buffer<E> {
    let Split { len, inner, .. } = split;
    let before = scan(split, false, E::one(), |product, _, at| {
        let before = *product;
        *product *= x[at];
        before
    });
    let before = &*before;
    scan(split, true, E::one(), |product, _, at| {
        let behind = *product;
        *product *= x[at];
        grad[at / (len * inner) * inner + at % inner] * (before[at] * behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_sums_of_many_tenths_do_not_drift() {
        let split = Split {
            outer: 1,
            len: 1 << 20,
            inner: 1,
        };
        let sums = cumsum(&vec![0.1f32; split.len], split, false);
        for (i, &sum) in sums.iter().enumerate() {
            let right = (f64::from(0.1f32) * (i + 1) as f64) as f32;
            assert!((sum - right).abs() <= right * f32::EPSILON, "{i}: {sum}");
        }
    }

    #[test]
    fn every_line_is_walked_alone() {
        for (outer, len, inner) in [(1, 5, 1), (3, 4, 2), (2, 3, 130), (700, 60, 1), (2, 0, 3)] {
            let split = Split { outer, len, inner };
            let x: Vec<f64> = (0..outer * len * inner)
                .map(|i| (i * i % 17) as f64)
                .collect();
            let (sums, rests) = (cumsum(&x, split, false), cumsum(&x, split, true));
            for o in 0..outer {
                for i in 0..inner {
                    let line: Vec<usize> = (0..len).map(|l| (o * len + l) * inner + i).collect();
                    for (l, &at) in line.iter().enumerate() {
                        let of = |places: &[usize]| places.iter().map(|&at| x[at]).sum::<f64>();
                        assert_eq!(sums[at], of(&line[..=l]), "{split:?} at {at}");
                        assert_eq!(rests[at], of(&line[l..]), "{split:?} at {at}");
                    }
                }
            }
        }
    }
}
