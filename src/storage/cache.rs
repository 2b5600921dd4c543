//! Freed blocks kept by size class, so that a training loop stops asking the system for memory.
//!
//! A thread keeps some small blocks of each class for itself. Whole lists of more, and large blocks, where a lock costs
//! nothing next to the work done on them, are shared by all threads, up to a bound. The values of blocks that have room
//! for a huge page begin with one; somewhat smaller blocks are cut from regions of such pages.

use super::{huge, region};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Alignment of every block's values: a cache line, and the widest vector register. All capacities are multiples of it.
pub(super) const ALIGN: usize = 64;
/// Bytes of a block before its capacity: the header, and what else comes before values that are aligned.
pub(super) const START: usize = ALIGN;
/// From this capacity on, four classes to each doubling waste at most a fifth of a block; below, each multiple of
/// [`ALIGN`] has its class.
const GROWING: usize = 4 * ALIGN;
const CLASSES: usize = 4 + 4 * (usize::BITS as usize - 1 - GROWING.ilog2() as usize);
/// Blocks up to this many bytes are cached by each thread for itself.
const SMALL: usize = 64 << 10;
/// What one thread keeps in small blocks of one class, in bytes.
const OWN_LIMIT: usize = 1 << 20;
/// What all threads together keep beside that, in bytes, unless told otherwise.
const SHARED_LIMIT: usize = 1 << 30;

/// The start of a block, by which it is counted and kept; what is in the block follows.
#[repr(C)]
pub(super) struct Header {
    /// Those who share the block.
    pub(super) refs: AtomicUsize,
    class: u32,
    /// Bytes of the system's memory, or of the region, that lie before the block.
    before: u32,
    /// The next block of the list that this one is in, if any.
    pub(super) next: Option<NonNull<Header>>,
    /// What is done when nobody refers to the block any more; it ends by giving the block back.
    pub(super) drop: unsafe fn(NonNull<Header>),
}

impl Header {
    /// A header that is always shared, in no block.
    pub(super) const fn shared() -> Self {
        Header {
            refs: AtomicUsize::new(2),
            class: 0,
            before: 0,
            next: None,
            drop: |_| {},
        }
    }

    fn class(&self) -> usize {
        self.class as usize
    }
}

/// The class of the smallest blocks that hold `bytes`.
pub(super) fn class_of(bytes: usize) -> usize {
    let last = bytes.saturating_sub(1);
    if last < GROWING {
        return last / ALIGN;
    }
    let doubling = last.ilog2() as usize;
    let quarter = (last >> (doubling - 2)) & 3;
    4 * (doubling - GROWING.ilog2() as usize) + quarter + 4
}

/// Bytes that a block of `class` holds.
fn capacity(class: usize) -> usize {
    match class.checked_sub(3) {
        None => (class + 1) * ALIGN,
        Some(growing) => (4 + growing % 4) << (growing / 4 + ALIGN.ilog2() as usize),
    }
}

/// Bytes of a block of `class`.
fn size(class: usize) -> usize {
    START + capacity(class)
}

/// True for blocks that have room for a huge page: their values begin with one.
fn is_huge(class: usize) -> bool {
    capacity(class) >= huge::PAGE
}

/// True for blocks that are cut from a region: several share a huge page.
fn is_cut(class: usize) -> bool {
    (huge::PAGE / 8..huge::PAGE).contains(&capacity(class))
}

/// What the system is asked for, for a block that is not cut from a region.
fn layout(class: usize) -> Layout {
    // It has zeroed memory at hand only for blocks without an alignment of their own, which are then aligned here.
    let (size, align) = if is_huge(class) {
        (size(class) + huge::PAGE, align_of::<Header>())
    } else {
        (size(class), ALIGN)
    };
    Layout::from_size_align(size, align).expect("the size of a block fits in an isize")
}

/// Free blocks of one class, linked by their headers; freed when the list is dropped.
struct List {
    first: Option<NonNull<Header>>,
    bytes: usize,
}

// SAFETY: a free block is owned by the list it is in, and by nothing else.
unsafe impl Send for List {}

impl List {
    const EMPTY: List = List {
        first: None,
        bytes: 0,
    };

    fn pop(&mut self) -> Option<NonNull<Header>> {
        let block = self.first?;
        // SAFETY: blocks in a list are valid and owned by it.
        let header = unsafe { block.as_ref() };
        self.first = header.next;
        self.bytes -= capacity(header.class());
        Some(block)
    }

    fn of(block: NonNull<Header>) -> Self {
        let mut list = List::EMPTY;
        list.push(block);
        list
    }

    /// Takes in a block; returns those before it where they are as many as one thread keeps.
    #[inline]
    fn keep(&mut self, block: NonNull<Header>) -> Option<List> {
        let full = (self.bytes >= OWN_LIMIT).then(|| std::mem::replace(self, List::EMPTY));
        self.push(block);
        full
    }

    /// Takes in a block to which the caller gave up the last reference.
    fn push(&mut self, mut block: NonNull<Header>) {
        // SAFETY: the block is valid, and ours alone.
        let header = unsafe { block.as_mut() };
        header.next = self.first;
        self.first = Some(block);
        self.bytes += capacity(header.class());
    }
}

impl Drop for List {
    fn drop(&mut self) {
        while let Some(block) = self.pop() {
            free(block);
        }
    }
}

/// What is in a block. One of other types may have left bytes uninitialised, so these blocks never become numbers'.
#[derive(Clone, Copy)]
enum Kind {
    Numbers,
    Cells,
}

/// One thread's lists: of each kind, one a class.
struct Own {
    lists: [[List; SMALL_CLASSES]; 2],
}

/// All classes up to [`SMALL`].
const SMALL_CLASSES: usize = 4 * (SMALL / GROWING).ilog2() as usize + 4;

impl Own {
    const EMPTY: Own = Own {
        lists: [const { [const { List::EMPTY }; SMALL_CLASSES] }; 2],
    };
}

/// What threads share: of each kind and class, lists that one of them had too much of.
struct Shared {
    lists: [[Vec<List>; CLASSES]; 2],
    bytes: usize,
    limit: usize,
}

impl Shared {
    fn pop(&mut self, kind: Kind, class: usize) -> Option<List> {
        let list = self.lists[kind as usize][class].pop()?;
        self.bytes -= list.bytes;
        Some(list)
    }

    /// Takes the list in; or gives it back, where that is too much.
    fn push(&mut self, kind: Kind, class: usize, list: List) -> Option<List> {
        if self.bytes + list.bytes > self.limit {
            return Some(list);
        }
        self.bytes += list.bytes;
        self.lists[kind as usize][class].push(list);
        None
    }

    /// All lists, and leaves none.
    fn take(&mut self) -> Vec<List> {
        self.bytes = 0;
        let stacks = self.lists.as_flattened_mut().iter_mut();
        stacks.flat_map(std::mem::take).collect()
    }
}

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own::EMPTY) };
}
static SHARED: Mutex<Shared> = Mutex::new(Shared {
    lists: [const { [const { Vec::new() }; CLASSES] }; 2],
    bytes: 0,
    limit: SHARED_LIMIT,
});
static SYSTEM_ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static RESERVED: AtomicUsize = AtomicUsize::new(0);

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block with one reference, in which at least `bytes` bytes follow its start. They are initialised but arbitrary.
pub(super) fn take(bytes: usize) -> NonNull<Header> {
    take_of(Kind::Numbers, class_of(bytes))
}

/// Gives back a block of numbers that nothing refers to any more.
pub(super) fn give(block: NonNull<Header>) {
    give_of(Kind::Numbers, block);
}

/// A block of at least `bytes` bytes, header and all, with one reference; what follows the header is arbitrary. `drop`
/// drops what was put there, and calls [`give_cell`].
#[inline]
pub(super) fn take_cell(bytes: usize, drop: unsafe fn(NonNull<Header>)) -> NonNull<Header> {
    let mut block = take_of(Kind::Cells, class_of(bytes.saturating_sub(START)));
    // SAFETY: the block is new to us, so this function has it alone.
    unsafe { block.as_mut() }.drop = drop;
    block
}

/// Gives back a block whose value was dropped.
pub(super) fn give_cell(block: NonNull<Header>) {
    give_of(Kind::Cells, block);
}

#[inline]
fn take_of(kind: Kind, class: usize) -> NonNull<Header> {
    // A thread that is shutting down has no lists any more.
    let own = OWN.try_with(|own| own.borrow_mut().lists[kind as usize].get_mut(class)?.pop());
    let mut block = own.ok().flatten().unwrap_or_else(|| fetch(kind, class));
    // SAFETY: the list owned the block; now this function does, alone.
    *unsafe { block.as_mut() }.refs.get_mut() = 1;
    block
}

/// A block from what threads share, or from the system.
#[cold]
fn fetch(kind: Kind, class: usize) -> NonNull<Header> {
    let Some(mut list) = shared().pop(kind, class) else {
        return reserve(class);
    };
    let block = list.pop().expect("shared lists are not empty");
    // The rest is for this thread's next calls.
    let _ = OWN.try_with(|own| {
        if let Some(own) = own.borrow_mut().lists[kind as usize].get_mut(class) {
            std::mem::swap(own, &mut list);
        }
    });
    block
}

#[inline]
fn give_of(kind: Kind, block: NonNull<Header>) {
    // SAFETY: the caller held the last reference, so the block is valid and ours.
    let class = unsafe { block.as_ref().class() };
    let kept = OWN.try_with(|own| {
        let mut own = own.borrow_mut();
        Some(own.lists[kind as usize].get_mut(class)?.keep(block))
    });
    let over = kept.ok().flatten().unwrap_or_else(|| Some(List::of(block)));
    if let Some(list) = over {
        share(kind, class, list);
    }
}

/// Gives blocks to all threads, or to the system where these have enough.
#[cold]
fn share(kind: Kind, class: usize, list: List) {
    let refused = shared().push(kind, class, list);
    // The lock is free again while the system works.
    drop(refused);
}

#[cold]
fn reserve(class: usize) -> NonNull<Header> {
    let (block, before) = if is_cut(class) {
        region::cut(size(class))
    } else {
        alone(class)
    };
    let block = block.cast::<Header>();
    // SAFETY: the memory is ours, large enough for the block, and aligned for a header.
    unsafe {
        block.write(Header {
            refs: AtomicUsize::new(1),
            class: class as u32,
            before: before as u32,
            next: None,
            drop: |_| {},
        });
    }
    SYSTEM_ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    RESERVED.fetch_add(size(class), Ordering::Relaxed);
    block
}

/// Memory for a block of its own, and how many bytes of the system's lie before.
fn alone(class: usize) -> (NonNull<u8>, usize) {
    let layout = layout(class);
    // Zeroed, so that a buffer never shows uninitialised memory; large blocks come zeroed anyway.
    // SAFETY: the layout has a non-zero size.
    let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
        handle_alloc_error(layout)
    };
    if !is_huge(class) {
        return (memory, 0);
    }
    let before = (memory.addr().get() + START).wrapping_neg() % huge::PAGE;
    // SAFETY: the memory is large enough for a block after less than a huge page.
    let block = unsafe {
        let block = memory.add(before);
        huge::advise(block.add(START), capacity(class));
        block
    };
    (block, before)
}

fn free(block: NonNull<Header>) {
    // SAFETY: the caller owns the block, which came from `reserve` with this class and from there.
    unsafe {
        let &Header { class, before, .. } = block.as_ref();
        let (class, before) = (class as usize, before as usize);
        if is_cut(class) {
            region::give_back(block.cast(), before);
        } else {
            dealloc(block.cast::<u8>().as_ptr().sub(before), layout(class));
        }
        RESERVED.fetch_sub(size(class), Ordering::Relaxed);
    }
}

pub(crate) fn system_allocations() -> u64 {
    SYSTEM_ALLOCATIONS.load(Ordering::Relaxed)
}

pub(crate) fn reserved_bytes() -> usize {
    RESERVED.load(Ordering::Relaxed)
}

/// Bytes in free blocks: this thread's own and those that threads share.
pub(crate) fn cached_bytes() -> usize {
    let own = OWN.with(|own| {
        own.borrow()
            .lists
            .as_flattened()
            .iter()
            .map(|list| list.bytes)
            .sum::<usize>()
    });
    own + shared().bytes
}

pub(crate) fn empty() {
    drop(OWN.replace(Own::EMPTY));
    drop(shared().take());
    region::close();
}

pub(crate) fn set_limit(bytes: usize) {
    let mut shared = shared();
    shared.limit = bytes;
    let above = (shared.bytes > bytes).then(|| shared.take());
    drop(shared);
    drop(above);
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
            assert!(capacity(class) <= bytes.max(1).next_multiple_of(ALIGN) * 5 / 4);
            assert_eq!(capacity(class) % ALIGN, 0);
            assert!(class < CLASSES);
            assert_eq!(capacity(class) <= SMALL, class < SMALL_CLASSES);
        }
    }

    #[test]
    fn large_blocks_have_their_values_in_huge_pages() {
        for bytes in [huge::PAGE, 5 * huge::PAGE / 2, 17 << 20] {
            let blocks = [0; 3].map(|_| reserve(class_of(bytes)));
            for block in blocks {
                // SAFETY: the block is as large.
                unsafe {
                    let values = block.cast::<u8>().add(START);
                    assert_eq!(values.as_ptr() as usize % huge::PAGE, 0);
                    assert_eq!((values.read(), values.add(bytes - 1).read()), (0, 0));
                    values.add(bytes - 1).write(1);
                }
                free(block);
            }
        }
    }
}
