//! Where the entries of an axis stand once they are in order.

use super::parallel;
use crate::element::Element;
use crate::shape::Split;
use crate::storage::Buffer;

/// Which entries come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The smallest; NaN is last.
    Ascending,
    /// The largest; NaN is first.
    Descending,
}

/// A number whose order among whole numbers is that of `x` in `order`: equal numbers have equal keys, NaN
/// counts as larger than any other, and all NaN are equal.
///
/// One order of whole numbers serves both element types and both directions: sorting is compiled once.
fn key<E: Element>(x: E, order: Order) -> u64 {
    // Adding 0 turns −0 into 0.
    let x = x.to_f64().unwrap_or(f64::NAN) + 0.0;
    let bits = x.to_bits();
    let ascending = if x.is_nan() {
        u64::MAX
    } else {
        // Positive numbers lie above negative ones, whose bits grow the other way. Signs are often random: no branch.
        bits ^ (((bits as i64) >> 63) as u64 | 1 << 63)
    };
    match order {
        Order::Ascending => ascending,
        Order::Descending => !ascending,
    }
}

/// Positions along the middle axis of its first `kept` entries in `order`, equal ones as they stand.
pub(crate) fn argsort<E: Element>(
    x: &[E],
    split: Split,
    kept: usize,
    order: Order,
) -> Buffer<usize> {
    let Split { outer, len, inner } = split;
    assert!(kept <= len, "{kept} of {len} entries");
    let block = kept * inner;
    let mut out = Buffer::dirty(outer * block);
    if block == 0 {
        return out;
    }
    let each = (parallel::CHUNK / (len * inner)).max(1);
    parallel::rows(
        out.fresh(),
        each * block,
        x.len(),
        &|first: usize, piece: &mut [usize]| {
            let mut line = Vec::with_capacity(len);
            let ranked = |x: &[E], l: usize| u128::from(key(x[l * inner], order)) << 64 | l as u128;
            for (o, out) in piece.chunks_exact_mut(block).enumerate() {
                let x = &x[(first / block + o) * len * inner..][..len * inner];
                for i in 0..inner {
                    line.clear();
                    select(&mut line, (0..len).map(|l| ranked(&x[i..], l)), kept);
                    for (k, &ranked) in line.iter().enumerate() {
                        out[k * inner + i] = ranked as u64 as usize;
                    }
                }
            }
        },
    );
    out
}

/// So few of many entries are kept best by putting each in its place among those before it.
const FEW: usize = 16;

/// Fills the empty `line` with the first `kept` entries, in order.
fn select(line: &mut Vec<u128>, entries: impl ExactSizeIterator<Item = u128>, kept: usize) {
    // Setting the others aside first pays off only if there are many of them.
    let many = kept < entries.len() / 2;
    if !many || kept > FEW {
        line.extend(entries);
        if many {
            line.select_nth_unstable(kept);
            line.truncate(kept);
        }
        line.sort_unstable();
        return line.truncate(kept);
    }
    for entry in entries {
        if line.len() == kept {
            if entry >= line[kept - 1] {
                continue;
            }
            line.pop();
        }
        let place = line.partition_point(|&before| before < entry);
        line.insert(place, entry);
    }
}

/// The places in memory of entries at these positions along an axis: `kept` positions on each line of the
/// middle axis.
pub(crate) fn places(positions: &[usize], split: Split, kept: usize) -> Buffer<usize> {
    let Split { len, inner, .. } = split;
    let mut out = Buffer::dirty(positions.len());
    if out.is_empty() {
        return out;
    }
    let lines = out.fresh().chunks_exact_mut(inner);
    for (line, (out, positions)) in lines.zip(positions.chunks_exact(inner)).enumerate() {
        let first = line / kept * len * inner;
        for (i, (out, &position)) in out.iter_mut().zip(positions).enumerate() {
            *out = first + position * inner + i;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_as_numbers() {
        let ordered = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            -5e-324,
            0.0,
            5e-324,
            1.0,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for pair in ordered.windows(2) {
            let keys = |order| [key(pair[0], order), key(pair[1], order)];
            let [a, b] = keys(Order::Ascending);
            assert!(a < b, "{pair:?}");
            let [a, b] = keys(Order::Descending);
            assert!(a > b, "{pair:?}");
        }
        assert_eq!(
            key(-0.0f32, Order::Ascending),
            key(0.0f32, Order::Ascending)
        );
        assert_eq!(
            key(-f64::NAN, Order::Ascending),
            key(f64::NAN, Order::Ascending)
        );
    }

    #[test]
    fn every_line_is_sorted_alone_and_equals_stay_in_place() {
        for (outer, len, inner) in [(1, 100, 1), (3, 7, 2), (2, 1, 5), (2, 0, 3), (0, 4, 1)] {
            let split = Split { outer, len, inner };
            let x: Vec<f32> = (0..outer * len * inner)
                .map(|i| (i * i % 7) as f32)
                .collect();
            for (kept, order) in [
                (len, Order::Ascending),
                (len / 3, Order::Descending),
                (len - len / 4, Order::Ascending),
            ] {
                let at = argsort(&x, split, kept, order);
                let places = places(&at, split, kept);
                for o in 0..outer {
                    for i in 0..inner {
                        let mut right: Vec<usize> = (0..len).collect();
                        let value = |l: usize| x[(o * len + l) * inner + i];
                        right.sort_by(|&a, &b| match order {
                            Order::Ascending => value(a).total_cmp(&value(b)),
                            Order::Descending => value(b).total_cmp(&value(a)),
                        });
                        for (k, &l) in right[..kept].iter().enumerate() {
                            let place = (o * kept + k) * inner + i;
                            assert_eq!(at[place], l, "{split:?} at {place}");
                            assert_eq!(x[places[place]], value(l));
                        }
                    }
                }
            }
        }
    }
}
