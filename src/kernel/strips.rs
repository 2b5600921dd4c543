//! Loops over columns, by strips: the compiler makes vectors of lanes that are single numbers where it sees how many there
//! are, and that what is written is read by nobody else.

use super::lanes::Lanes;

/// Columns in a strip.
pub(super) const STRIP: usize = 32;

/// The strip that starts at column `i`.
#[inline(always)]
pub(super) fn strip<E>(x: &[E], i: usize) -> &[E; STRIP] {
    x[i..].first_chunk().expect("strips are whole")
}

/// As many columns from `i` on as there are lanes, or as are there.
#[inline(always)]
pub(super) fn get<V: Lanes>(x: &[V::Element], i: usize) -> V {
    let x = &x[i..];
    if x.len() >= V::COUNT {
        V::load(x)
    } else {
        V::load_part(x)
    }
}

/// Writes as many columns from `i` on as there are lanes, or as there is room for.
#[inline(always)]
pub(super) fn put<V: Lanes>(values: V, x: &mut [V::Element], i: usize) {
    let x = &mut x[i..];
    if x.len() >= V::COUNT {
        values.store(x)
    } else {
        values.store_part(x)
    }
}
