//! Means and squared deviations from them along an axis.

use super::{Cut, Folding, Place, State, fold};
use crate::element::Element;
use crate::kernel::lanes::Lanes;
use crate::kernel::sum::in_pairs;
use crate::shape::Split;
use crate::storage::Buffer;

/// The state: the mean, as its distance from the line's first value; the squared deviations from it, added up; and of
/// how many values. States are joined by Chan, Golub and LeVeque's formula (Algorithms for computing the sample
/// variance, 1983).
struct Moments;

impl<E: Element> Folding<E> for Moments {
    fn start(&self, _: E) -> State<E> {
        [E::zero(); 3]
    }
    #[inline(always)]
    fn take<V: Lanes<Element = E>, const N: usize>(
        &self,
        [mean, squares, _]: State<V>,
        mut values: [V; N],
        place: Place<V>,
    ) -> State<V> {
        // All columns have as many rows before, and the divisions are done once for all.
        let (n, before) = (V::of(N as f64), place.rows);
        for value in &mut values {
            *value = *value - place.first;
        }
        let middle = in_pairs(values) * V::of(1.0 / N as f64);
        for value in &mut values {
            let deviation = *value - middle;
            *value = deviation * deviation;
        }
        let after = before + n;
        let (share, weight) = (n / after, before * n / after);
        let apart = middle - mean;
        [
            mean + apart * share,
            squares + (in_pairs(values) + apart * (apart * weight)),
            after,
        ]
    }
    #[inline(always)]
    fn join<V: Lanes<Element = E>>(
        &self,
        [mean, squares, before]: State<V>,
        [middle, others, n]: State<V>,
    ) -> State<V> {
        // Two states of nothing too have a share.
        let after = before + n;
        let share = n / V::of(1.0).or_larger(after);
        let apart = middle - mean;
        [
            mean + apart * share,
            squares + (others + apart * (apart * (before * share))),
            after,
        ]
    }
}

/// For each line of the middle axis, how far its mean lies above its first value, and the squared deviations from the
/// mean added up.
pub(crate) fn moments<E: Element>(x: &[E], split: Split) -> (Buffer<E>, Buffer<E>) {
    let lines = split.outer * split.inner;
    let (mut shifts, mut sums) = (Buffer::dirty(lines), Buffer::dirty(lines));
    let (shift, sum) = (shifts.fresh(), sums.fresh());
    fold(
        x,
        Cut::new(split),
        &Moments,
        &mut |at, [mean, squares, _]| {
            shift[at..][..mean.len()].copy_from_slice(mean);
            sum[at..][..squares.len()].copy_from_slice(squares);
        },
    );
    (shifts, sums)
}
