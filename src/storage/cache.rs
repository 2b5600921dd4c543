//! Freed blocks kept by size class, so that a training loop stops asking the system for memory.
//!
//! Small blocks stay with the thread that freed them; large ones, where a lock costs nothing next to
//! the work done on them, are shared by all threads. Both lists are bounded.

use super::buffer::Mark;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of every block's values: a cache line, and the widest vector register.
pub(super) const ALIGN: usize = 64;
/// Capacity of the smallest class, in bytes.
const SMALLEST: usize = 256;
/// Four classes to each doubling waste at most a fifth of a block.
const CLASSES: usize = 4 * (usize::BITS as usize - 1 - SMALLEST.ilog2() as usize);
/// Blocks up to this many bytes are cached by each thread for itself.
const SMALL: usize = 64 << 10;
/// What one thread keeps in small blocks, in bytes.
const SMALL_LIMIT: usize = 32 << 20;
/// What all threads together keep in large blocks, in bytes, unless told otherwise.
const LARGE_LIMIT: usize = 1 << 30;

/// The start of a block; its values follow. Together they are what a buffer or a shared value points to.
#[repr(C, align(64))]
pub(super) struct Header {
    /// Those who share the block.
    pub(super) refs: AtomicUsize,
    class: usize,
    /// The next block of the list that this one is in, if any.
    pub(super) next: Option<NonNull<Header>>,
    /// What is done when nobody refers to the block any more; it ends by giving the block back.
    pub(super) drop: unsafe fn(NonNull<Header>),
    /// Of a buffer: what says how much of which values, and whose.
    pub(super) part: Part,
}

impl Header {
    /// A header that is always shared, in no block.
    pub(super) const fn shared() -> Self {
        Header {
            refs: AtomicUsize::new(2),
            class: 0,
            next: None,
            drop: |_| {},
            part: Part::NONE,
        }
    }
}

/// A run of values.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) start: *mut u8,
    /// The number of values.
    pub(super) len: usize,
    pub(super) mark: Mark,
    /// The block that the values are in, if it is another one than that of this header.
    pub(super) of: Option<NonNull<Header>>,
}

impl Part {
    pub(super) const NONE: Part = Part {
        start: std::ptr::without_provenance_mut(ALIGN),
        len: 0,
        mark: Mark::NONE,
        of: None,
    };
}

/// The class of the smallest blocks that hold `bytes`.
pub(super) fn class_of(bytes: usize) -> usize {
    if bytes <= SMALLEST {
        return 0;
    }
    let last = bytes - 1;
    let doubling = last.ilog2() as usize;
    let quarter = (last >> (doubling - 2)) & 3;
    4 * (doubling - SMALLEST.ilog2() as usize) + quarter + 1
}

/// Bytes that a block of `class` holds.
fn capacity(class: usize) -> usize {
    (4 + class % 4) << (class / 4 + SMALLEST.ilog2() as usize - 2)
}

fn layout(class: usize) -> Layout {
    Layout::from_size_align(capacity(class) + size_of::<Header>(), ALIGN)
        .expect("the size of a block fits in an isize")
}

/// Singly linked lists of free blocks, one a class.
struct FreeLists {
    heads: [Option<NonNull<Header>>; CLASSES],
    bytes: usize,
}

// SAFETY: a free block is owned by the list it is in, and by nothing else.
unsafe impl Send for FreeLists {}

impl FreeLists {
    const fn new() -> Self {
        FreeLists {
            heads: [None; CLASSES],
            bytes: 0,
        }
    }

    fn pop(&mut self, class: usize) -> Option<NonNull<Header>> {
        let block = self.heads[class]?;
        // SAFETY: blocks in a list are valid and owned by it.
        self.heads[class] = unsafe { block.as_ref().next };
        self.bytes -= capacity(class);
        Some(block)
    }

    /// Takes the block in, or gives it back where the list would outgrow `limit` bytes.
    fn push(
        &mut self,
        class: usize,
        mut block: NonNull<Header>,
        limit: usize,
    ) -> Option<NonNull<Header>> {
        if self.bytes + capacity(class) > limit {
            return Some(block);
        }
        // SAFETY: the caller gave up the last reference to the block.
        unsafe { block.as_mut().next = self.heads[class] };
        self.heads[class] = Some(block);
        self.bytes += capacity(class);
        None
    }

    fn clear(&mut self) {
        for class in 0..CLASSES {
            while let Some(block) = self.pop(class) {
                free(block);
            }
        }
    }
}

impl Drop for FreeLists {
    fn drop(&mut self) {
        self.clear();
    }
}

thread_local! {
    /// Small blocks of numbers.
    static LOCAL: RefCell<FreeLists> = const { RefCell::new(FreeLists::new()) };
    /// Small blocks of values of other types. These may leave bytes uninitialised, so they do not mix with numbers.
    static CELLS: RefCell<FreeLists> = const { RefCell::new(FreeLists::new()) };
}
static SHARED: Mutex<FreeLists> = Mutex::new(FreeLists::new());
static LARGE_CAP: AtomicUsize = AtomicUsize::new(LARGE_LIMIT);
static SYSTEM_ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static RESERVED: AtomicUsize = AtomicUsize::new(0);

fn shared() -> MutexGuard<'static, FreeLists> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block of at least `bytes` bytes with one reference. Its contents are initialised but arbitrary.
pub(super) fn take(bytes: usize) -> NonNull<Header> {
    let class = class_of(bytes);
    let cached = if capacity(class) <= SMALL {
        // A thread that is shutting down has no list any more: it asks the system.
        LOCAL
            .try_with(|lists| lists.borrow_mut().pop(class))
            .ok()
            .flatten()
    } else {
        shared().pop(class)
    };
    match cached {
        Some(block) => {
            // SAFETY: the list owned the block; now this function does, alone.
            unsafe { block.as_ref().refs.store(1, Ordering::Relaxed) };
            block
        }
        None => reserve(class),
    }
}

/// Gives back a block that nothing refers to any more.
pub(super) fn give(block: NonNull<Header>) {
    // SAFETY: the caller held the last reference, so the block is valid and ours.
    let class = unsafe { block.as_ref().class };
    let refused = if capacity(class) <= SMALL {
        LOCAL
            .try_with(|lists| lists.borrow_mut().push(class, block, SMALL_LIMIT))
            .unwrap_or(Some(block))
    } else {
        shared().push(class, block, LARGE_CAP.load(Ordering::Relaxed))
    };
    if let Some(block) = refused {
        free(block);
    }
}

/// A block for a value of `bytes` bytes with one reference; `drop` drops the value and calls [`give_cell`].
pub(super) fn take_cell(bytes: usize, drop: unsafe fn(NonNull<Header>)) -> NonNull<Header> {
    let class = class_of(bytes);
    let cached = CELLS.try_with(|lists| lists.borrow_mut().pop(class));
    let mut block = cached.ok().flatten().unwrap_or_else(|| reserve(class));
    // SAFETY: the list owned the block, or it is new; now it is this function's alone.
    let header = unsafe { block.as_mut() };
    *header.refs.get_mut() = 1;
    header.drop = drop;
    block
}

/// Gives back a block whose value was dropped.
pub(super) fn give_cell(block: NonNull<Header>) {
    // SAFETY: the caller held the last reference, so the block is valid and ours.
    let class = unsafe { block.as_ref().class };
    let refused = CELLS
        .try_with(|lists| lists.borrow_mut().push(class, block, SMALL_LIMIT))
        .unwrap_or(Some(block));
    if let Some(block) = refused {
        free(block);
    }
}

#[cold]
fn reserve(class: usize) -> NonNull<Header> {
    let layout = layout(class);
    // Zeroed, so that a buffer never shows uninitialised memory; large blocks come zeroed anyway.
    // SAFETY: the layout has a non-zero size.
    let Some(block) = NonNull::new(unsafe { alloc_zeroed(layout) }.cast::<Header>()) else {
        handle_alloc_error(layout)
    };
    // SAFETY: the block is freshly allocated, large enough and aligned for a header.
    unsafe {
        block.write(Header {
            refs: AtomicUsize::new(1),
            class,
            next: None,
            drop: |_| {},
            part: Part::NONE,
        });
    }
    SYSTEM_ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    RESERVED.fetch_add(layout.size(), Ordering::Relaxed);
    block
}

fn free(block: NonNull<Header>) {
    // SAFETY: the caller owns the block, which came from `reserve` with this very layout.
    unsafe {
        let layout = layout(block.as_ref().class);
        dealloc(block.as_ptr().cast(), layout);
        RESERVED.fetch_sub(layout.size(), Ordering::Relaxed);
    }
}

pub(crate) fn system_allocations() -> u64 {
    SYSTEM_ALLOCATIONS.load(Ordering::Relaxed)
}

pub(crate) fn reserved_bytes() -> usize {
    RESERVED.load(Ordering::Relaxed)
}

/// Bytes in free blocks: this thread's small ones and everybody's large ones.
pub(crate) fn cached_bytes() -> usize {
    [&LOCAL, &CELLS]
        .map(|lists| lists.with(|lists| lists.borrow().bytes))
        .iter()
        .sum::<usize>()
        + shared().bytes
}

pub(crate) fn empty() {
    for lists in [&LOCAL, &CELLS] {
        lists.with(|lists| lists.borrow_mut().clear());
    }
    shared().clear();
}

pub(crate) fn set_large_limit(bytes: usize) {
    LARGE_CAP.store(bytes, Ordering::Relaxed);
    let mut lists = shared();
    if lists.bytes > bytes {
        lists.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_they_promise_and_waste_little() {
        for bytes in (0..5000).chain([1 << 20, (1 << 20) + 1, (1 << 30) - 1, 1 << 40]) {
            let class = class_of(bytes);
            assert!(capacity(class) >= bytes, "{bytes} bytes in class {class}");
            assert!(
                class == 0 || capacity(class - 1) < bytes,
                "{bytes} bytes fit a smaller class"
            );
            assert_eq!(capacity(class) % ALIGN, 0);
            assert!(class < CLASSES);
        }
    }
}
