//! One value in a block of its own, shared by reference counting.

use super::cache::{self, Header};
use std::cell::Cell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

/// A shared value, as an `Arc` without weak references: its block comes from the cache, its sole owner pays for no
/// atomic operation, and values that own each other are dropped one after the other, however long their chain is.
pub(crate) struct Shared<T: ?Sized>(NonNull<Counted<T>>);

/// A value behind its count.
#[repr(C)]
pub(crate) struct Counted<T: ?Sized> {
    header: Header,
    value: T,
}

// SAFETY: as for `Arc`: owners on several threads share the value, and the last one drops it where it is.
unsafe impl<T: ?Sized + Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send + Sync> Sync for Shared<T> {}

impl<T: ?Sized> Shared<T> {
    /// Shares a value whose type `forget` makes the compiler forget, as in `|node| node`.
    pub(crate) fn new<V>(value: V, forget: fn(&mut Counted<V>) -> &mut Counted<T>) -> Self {
        const { assert!(align_of::<V>() <= cache::ALIGN) }
        let block = cache::take_cell(size_of::<V>(), drop_value::<V>).cast::<Counted<V>>();
        // SAFETY: the block holds a `V` behind its header, whose size is a multiple of `V`'s alignment, and is ours
        // alone.
        let counted = unsafe {
            (&raw mut (*block.as_ptr()).value).write(value);
            &mut *block.as_ptr()
        };
        Shared(NonNull::from(forget(counted)))
    }

    fn header(&self) -> &Header {
        // SAFETY: an owner keeps the block alive.
        unsafe { &(*self.0.as_ptr()).header }
    }

    /// True if there is no other owner.
    pub(crate) fn is_unique(&self) -> bool {
        // Acquire pairs with the release in `drop`.
        self.header().refs.load(Ordering::Acquire) == 1
    }
}

/// Drops the value of a block and gives the block back.
///
/// # Safety
/// The block holds a `V` that nobody refers to any more.
unsafe fn drop_value<V>(block: NonNull<Header>) {
    /// Gives the block back, also where the value's drop panics.
    struct Block(NonNull<Header>);
    impl Drop for Block {
        fn drop(&mut self) {
            cache::give_cell(self.0);
        }
    }
    let block = Block(block);
    // SAFETY: by the contract above.
    unsafe { (&raw mut (*block.0.cast::<Counted<V>>().as_ptr()).value).drop_in_place() }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: an owner keeps the value alive, and nobody has a mutable reference to it.
        unsafe { &(*self.0.as_ptr()).value }
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        let before = self.header().refs.fetch_add(1, Ordering::Relaxed);
        assert!(before < isize::MAX as usize, "a value has too many owners");
        Shared(self.0)
    }
}

thread_local! {
    /// Blocks whose value is still to be dropped, linked by their headers, while a drop is under way.
    /// Cells have no destructor, so they are there for values that other thread-locals hold to the end.
    static WAITING: Cell<Option<NonNull<Header>>> = const { Cell::new(None) };
    static DROPPING: Cell<bool> = const { Cell::new(false) };
}

impl<T: ?Sized> Drop for Shared<T> {
    /// Always inlined, as that of [`Buffer`](super::Buffer).
    #[inline(always)]
    fn drop(&mut self) {
        leave(self.0.cast());
    }
}

/// Takes one reference from a block. The last one drops the value, and whatever that owned alone.
fn leave(mut block: NonNull<Header>) {
    // SAFETY: the reference that goes has kept the block alive.
    let refs = &unsafe { block.as_ref() }.refs;
    // A sole owner need not announce that it leaves.
    if refs.load(Ordering::Acquire) != 1 {
        if refs.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
    }
    /// Ends the drop that is under way, also by a panic; what still waits goes with the next one.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            DROPPING.set(false);
        }
    }
    if DROPPING.get() {
        // SAFETY: the block is ours alone.
        unsafe { block.as_mut().next = WAITING.replace(Some(block)) };
        return;
    }
    DROPPING.set(true);
    let _end = End;
    let mut next = Some(block);
    while let Some(block) = next {
        // SAFETY: nobody refers to the value any more, and the block was made for it.
        unsafe { (block.as_ref().drop)(block) };
        next = WAITING.take();
        if let Some(block) = next {
            // SAFETY: blocks that wait are ours alone.
            WAITING.set(unsafe { block.as_ref().next });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    /// Owns the next of a chain, and a witness.
    struct Link {
        _next: Option<Shared<Link>>,
        _witness: Arc<()>,
    }

    fn link(next: Option<Shared<Link>>, witness: &Arc<()>) -> Shared<Link> {
        let (_next, _witness) = (next, witness.clone());
        Shared::new(Link { _next, _witness }, |link| link)
    }

    #[test]
    fn the_last_owner_drops_the_value() {
        let witness = Arc::new(());
        let a: Shared<dyn Send + Sync> = Shared::new(witness.clone(), |value| value);
        let b = a.clone();
        assert!(!a.is_unique());
        std::thread::spawn(move || drop(a)).join().unwrap();
        assert!(b.is_unique());
        assert_eq!(Arc::strong_count(&witness), 2);
        drop(b);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let witness = Arc::new(());
        let chain = (0..1_000_000).fold(None, |next, _| Some(link(next, &witness)));
        drop(chain);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    /// What waits behind a drop that panics is dropped with the next value.
    #[test]
    fn a_drop_that_panics_stops_no_other() {
        struct Panics(#[allow(dead_code)] Shared<Link>); // held for its drop
        impl Drop for Panics {
            fn drop(&mut self) {
                panic!("in a drop");
            }
        }
        let witness = Arc::new(());
        let bad = Shared::<Panics>::new(Panics(link(None, &witness)), |value| value);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(bad))).is_err());
        drop(link(None, &witness));
        assert_eq!(Arc::strong_count(&witness), 1);
    }
}
