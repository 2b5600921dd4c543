//! Splitting large work over threads, by fixed chunks.

use super::stream;
use crate::storage::Plain;
use std::ops::Range;

#[cfg(feature = "rayon")]
mod team;

/// Elements in a chunk of elementwise work.
pub(super) const CHUNK: usize = 1 << 15;
/// Work below this many elements stays on the calling thread.
const MIN_ELEMENTS: usize = 1 << 18;

/// How many threads share so many elements of work.
pub(super) fn threads(elements: usize) -> usize {
    #[cfg(feature = "rayon")]
    if elements >= MIN_ELEMENTS {
        return rayon_core::current_num_threads();
    }
    let _ = (elements, MIN_ELEMENTS);
    1
}

/// Runs `body` for `0..count`, each once, on several threads if `elements` of work are worth it.
pub(super) fn for_each(count: usize, elements: usize, body: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "rayon")]
    if count > 1 {
        let threads = threads(elements).min(count);
        if threads > 1 {
            return team::for_each(count, threads, body);
        }
    }
    let _ = elements;
    (0..count).for_each(body);
}

/// A slice that several threads write to, each to its own part.
pub(super) struct Parts<'a, T> {
    start: *mut T,
    len: usize,
    values: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: parts that are handed out do not overlap (`part`'s contract), so this is as safe as sending
// each of them.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    pub(super) fn new(values: &'a mut [T]) -> Self {
        Parts {
            start: values.as_mut_ptr(),
            len: values.len(),
            values: std::marker::PhantomData,
        }
    }

    /// The part at `range`.
    ///
    /// # Safety
    /// Ranges that are in use at the same time do not overlap.
    #[allow(clippy::mut_from_ref)] // the contract above is what makes it sound
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: inside the slice (checked), and disjoint from other parts in use (contract).
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// What is done to each piece of a result, given the position of its first element.
///
/// A trait of its own and not `Fn`: behind `dyn Fn` the compiler makes three copies of every loop.
pub(super) trait Work<T>: Sync {
    fn run(&self, start: usize, piece: &mut [T]);
}

impl<T, F: Fn(usize, &mut [T]) + Sync> Work<T> for F {
    #[inline(always)]
    fn run(&self, start: usize, piece: &mut [T]) {
        self(start, piece);
    }
}

/// Works on `out` in chunks if it is large, at once if it is not.
#[inline(always)]
pub(super) fn chunks<T: Send>(out: &mut [T], work: &impl Work<T>) {
    if out.len() < MIN_ELEMENTS {
        work.run(0, out);
    } else {
        rows(out, CHUNK, out.len(), work);
    }
}

/// [`chunks`] for an `out` of which the work writes everything and reads nothing. `reads` is what it reads at the same
/// positions.
#[inline(always)]
pub(super) fn fresh_chunks<T: Plain>(out: &mut [T], reads: &[&[T]], work: &impl Work<T>) {
    if out.len() < MIN_ELEMENTS {
        work.run(0, out);
    } else {
        fresh_rows(out, [1, CHUNK], out.len(), reads, work);
    }
}

/// [`rows`] for an `out` of which the work writes everything and reads nothing; it may be done in parts of a piece that
/// are multiples of `row` elements. `reads` is what it reads at the same positions.
pub(super) fn fresh_rows<T: Plain>(
    out: &mut [T],
    [row, piece]: [usize; 2],
    elements: usize,
    reads: &[&[T]],
    work: &dyn Work<T>,
) {
    if size_of_val(out) < stream::LEAST || row > CHUNK {
        return rows(out, piece, elements, work);
    }
    rows(out, piece, elements, &|start: usize, piece: &mut [T]| {
        stream::past_caches(start, piece, row, reads, work);
    });
}

/// Works on `out` in pieces of `piece` elements (the last may be shorter). `elements` says how much work
/// it is in all.
pub(super) fn rows<T: Send>(out: &mut [T], piece: usize, elements: usize, work: &dyn Work<T>) {
    let len = out.len();
    if len == 0 {
        return;
    }
    let parts = Parts::new(out);
    for_each(len.div_ceil(piece), elements, &|i| {
        let start = i * piece;
        // SAFETY: pieces of different numbers do not overlap, and each number runs once.
        work.run(start, unsafe {
            parts.part(start..(start + piece).min(len))
        });
    });
}
