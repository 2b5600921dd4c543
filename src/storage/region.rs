//! Blocks that are too small to fill a huge page, and large enough to gain from one: they are cut, one behind the
//! other, from regions of a few such pages.
//!
//! A region goes back to the system when all its blocks are freed and none is cut from it any more.

use super::huge;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a region: its huge pages, and what the starts of blocks take whose values alone would fill them.
const SIZE: usize = 4 * huge::PAGE + 4096;

/// The start of a region, and of its first huge page.
#[repr(C, align(64))]
struct Head {
    /// Blocks that are not freed, and one more while blocks are cut.
    blocks: AtomicUsize,
    /// Bytes of the system's memory that lie before the region.
    before: usize,
}

/// The region that blocks are cut from.
struct Open {
    head: NonNull<Head>,
    used: usize,
}

// SAFETY: the region is nobody else's to cut from, and the count in its head is atomic.
unsafe impl Send for Open {}

static OPEN: Mutex<Option<Open>> = Mutex::new(None);

fn open() -> MutexGuard<'static, Option<Open>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block of so many bytes, a multiple of a cache line and fewer than a huge page has, which are zero; and how many
/// bytes lie between it and its region's start.
pub(super) fn cut(bytes: usize) -> (NonNull<u8>, usize) {
    let mut open = open();
    let full = open.take_if(|region| SIZE - region.used < bytes);
    let region = open.get_or_insert_with(Open::new);
    let at = region.used;
    region.used += bytes;
    // SAFETY: the region is open, so its head is valid; the block lies inside the region.
    let block = unsafe {
        region.head.as_ref().blocks.fetch_add(1, Ordering::Relaxed);
        region.head.cast::<u8>().add(at)
    };
    drop(open);
    drop(full);
    (block, at)
}

/// Gives back a block that lies so many bytes behind its region's start.
///
/// # Safety
/// [`cut`] gave both, and nothing refers to the block any more.
pub(super) unsafe fn give_back(block: NonNull<u8>, at: usize) {
    // SAFETY: the block counts as one of its region.
    unsafe { count_down(block.sub(at).cast()) };
}

/// Cuts no more blocks from the region that was open.
pub(super) fn close() {
    let closed = open().take();
    drop(closed);
}

impl Open {
    fn new() -> Open {
        let layout = layout();
        // SAFETY: the layout has a size.
        let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
            handle_alloc_error(layout)
        };
        let before = memory.addr().get().wrapping_neg() % huge::PAGE;
        let blocks = AtomicUsize::new(1);
        // SAFETY: the memory has room for a region behind less than a huge page, and is nobody else's.
        let head = unsafe {
            let head = memory.add(before).cast();
            huge::advise(head.cast(), SIZE);
            head.write(Head { blocks, before });
            head
        };
        Open {
            head,
            used: size_of::<Head>(),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: the open region counts as one more block of itself.
        unsafe { count_down(self.head) };
    }
}

/// What the system is asked for: it has zeroed memory at hand only without an alignment of its own.
fn layout() -> Layout {
    Layout::from_size_align(SIZE + huge::PAGE, align_of::<usize>()).expect("a small size")
}

/// Counts one less in a region, and frees it if that was the last.
///
/// # Safety
/// The region is valid, and the one was counted.
unsafe fn count_down(head: NonNull<Head>) {
    // SAFETY: the region is valid until its count is zero; then it is ours alone, as `Open::new` got it.
    unsafe {
        if head.as_ref().blocks.fetch_sub(1, Ordering::AcqRel) == 1 {
            let before = head.as_ref().before;
            dealloc(head.cast::<u8>().as_ptr().sub(before), layout());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    const BYTES: usize = (1 << 20) + 64;

    /// Writes to a block's bytes, which must have been zero.
    fn fill(block: NonNull<u8>) {
        // SAFETY: the block is as large, and ours.
        let bytes = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), BYTES) };
        assert!(bytes.iter().all(|&byte| byte == 0));
        bytes.fill(255);
    }

    #[test]
    fn blocks_lie_in_regions_and_not_on_each_other() {
        for _ in 0..3 {
            // Other tests may cut some in between.
            let blocks = [0; 20].map(|_| cut(BYTES));
            for (block, at) in blocks {
                assert_eq!(block.addr().get() % 64, 0);
                assert_eq!((block.addr().get() - at) % huge::PAGE, 0);
                fill(block);
            }
            for (block, at) in blocks {
                // SAFETY: it is ours, and used no more.
                unsafe { give_back(block, at) };
            }
        }
    }

    #[test]
    fn threads_cut_and_give_back_at_once() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let blocks = [0; 5].map(|_| cut(BYTES));
                        for (block, _) in blocks {
                            fill(block);
                        }
                        close();
                        // SAFETY: they are ours, and used no more.
                        for (block, at) in blocks {
                            unsafe { give_back(block, at) };
                        }
                    }
                });
            }
        });
    }
}
