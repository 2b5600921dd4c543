//! Which functions are being mapped over examples on this thread, one inside the other, and what belongs to them.
//!
//! A function that is mapped over an axis of size M runs once, on tensors that hold all M examples at a time along
//! an axis that their types do not show. The buffer of such a tensor is marked with the level it belongs to; in a
//! map inside another of size N it holds N·M examples, the outermost axis first. What is not marked is shared by all.

use crate::shape::Share;
use crate::storage::{Buffer, Mark, Plain};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static LEVELS: RefCell<Vec<Level>> = const { RefCell::new(Vec::new()) };
}

/// A map that is under way.
#[derive(Clone, Copy)]
struct Level {
    mark: Mark,
    /// The size of the axis that is mapped over.
    size: usize,
}

/// In a mark: the values are those of one example, and every example has its own gradient with respect to them.
const REPEATED: u64 = 1;

impl Mark {
    /// How the values belong to the examples.
    pub(crate) fn share(self) -> Share {
        match self.0 {
            0 => Share::Shared,
            mark if mark & REPEATED == 0 => Share::Each,
            _ => Share::Repeated,
        }
    }

    /// The mark of values that are there once, but have a gradient for each example.
    pub(crate) fn repeated(self) -> Mark {
        Mark(self.0 | REPEATED)
    }

    /// The mark of values of all examples at the same level.
    pub(crate) fn each(self) -> Mark {
        Mark(self.0 & !REPEATED)
    }

    /// The level, from 1 outermost; 0 if there is none.
    ///
    /// # Panics
    /// If the map has ended, or runs on another thread.
    pub(crate) fn depth(self) -> usize {
        if self.is_none() {
            return 0;
        }
        LEVELS
            .with_borrow(|levels| levels.iter().position(|level| level.mark == self.each()))
            .map(|place| place + 1)
            .unwrap_or_else(|| {
                panic!(
                    "a tensor made inside `vmap` is used outside: return it from the mapped function, and use what \
                     `vmap` returns"
                )
            })
    }

    /// The number of values that a buffer of this mark holds for each that the type of its tensor shows.
    pub(crate) fn copies(self) -> usize {
        match self.share() {
            Share::Each => examples(self.depth()),
            Share::Shared | Share::Repeated => 1,
        }
    }
}

/// The number of examples at a level: the product of the sizes up to it.
pub(crate) fn examples(depth: usize) -> usize {
    LEVELS.with_borrow(|levels| levels[..depth].iter().map(|level| level.size).product())
}

/// The mark of a level; none for 0.
pub(crate) fn mark_at(depth: usize) -> Mark {
    match depth {
        0 => Mark::NONE,
        _ => LEVELS.with_borrow(|levels| levels[depth - 1].mark),
    }
}

/// The size of the axis that a level maps over.
pub(crate) fn size_at(depth: usize) -> usize {
    LEVELS.with_borrow(|levels| levels[depth - 1].size)
}

/// The values, for whoever looks at them one by one.
///
/// # Panics
/// If they are those of many examples.
#[track_caller]
#[inline]
pub(crate) fn read<T: Plain>(values: &Buffer<T>) -> &Buffer<T> {
    if !values.mark().is_none() {
        refuse();
    }
    values
}

#[cold]
#[track_caller]
fn refuse() -> ! {
    panic!(
        "values are read inside `vmap`, where a tensor stands for many examples at once: return the tensor from the \
         mapped function, and read what `vmap` returns"
    )
}

/// The number of maps that are under way on this thread.
pub(crate) fn depth() -> usize {
    LEVELS.with_borrow(Vec::len)
}

/// Runs `body` one level further in, on examples along an axis of this size.
pub(crate) fn enter<T>(size: usize, body: impl FnOnce(Mark) -> T) -> T {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mark = Mark(NEXT.fetch_add(1, Ordering::Relaxed) << 1);
    let mut levels = Levels::now();
    levels.0.push(Level { mark, size });
    levels.within(|| body(mark))
}

/// The maps that are under way, for a function that is called again when they have ended.
#[derive(Clone)]
pub(crate) struct Levels(Vec<Level>);

impl Levels {
    /// Those of this thread at this moment.
    pub(crate) fn now() -> Self {
        Levels(LEVELS.with_borrow(Vec::clone))
    }

    /// Runs `body` as if they were under way, and no others.
    pub(crate) fn within<T>(&self, body: impl FnOnce() -> T) -> T {
        /// Puts back the former ones when it goes out of scope.
        struct Restore(Vec<Level>);
        impl Drop for Restore {
            fn drop(&mut self) {
                LEVELS.replace(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(LEVELS.replace(self.0.clone()));
        body()
    }
}
