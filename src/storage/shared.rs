//! Two values in a block of their own, shared by reference counting.

use super::cache::{self, Header};
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

/// The owners in a count of them, whose upper quarter counts claims.
const OWNERS: usize = (1 << (usize::BITS / 4 * 3)) - 1;

/// A claim to a value, of which there is one at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Of one who lets the value be.
    Looking,
    /// Of one who is going to drop it.
    Dropping,
}

impl Claim {
    /// What it adds to the count of owners.
    const fn one(self) -> usize {
        match self {
            Claim::Looking => OWNERS + 1,
            Claim::Dropping => 1 << (usize::BITS / 8 * 7),
        }
    }
}

/// A shared value `H` with another one behind it, whose type is known by what it can do, as in `dyn T`.
///
/// As an `Arc` without weak references; but the pointer is a thin one, blocks come from the cache, a sole owner pays for
/// no atomic operation, and values that own each other are dropped one after the other, however long their chain is.
pub(crate) struct Shared<H, T: ?Sized> {
    start: NonNull<Start<H, T>>,
    owns: PhantomData<(H, Box<T>)>,
}

/// What the block holds of a value whose full type is [`Whole`].
#[repr(C)]
struct Start<H, T: ?Sized> {
    header: Header,
    /// Points to the tail in the same block.
    tail: NonNull<T>,
    head: H,
}

/// A value behind its header.
#[repr(C)]
struct Whole<H, T: ?Sized, V> {
    start: Start<H, T>,
    tail: V,
}

// SAFETY: as for `Arc`: owners on several threads share the values, and the last one drops them where it is.
unsafe impl<H: Send + Sync, T: ?Sized + Send + Sync> Send for Shared<H, T> {}
// SAFETY: as above.
unsafe impl<H: Send + Sync, T: ?Sized + Send + Sync> Sync for Shared<H, T> {}

impl<H, T: ?Sized> Shared<H, T> {
    /// Shares two values. The type of the second is forgotten by `forget`, as in `|tail| tail`.
    ///
    /// They are made by functions, so that they are written where they stay.
    #[inline(always)]
    pub(crate) fn new<V>(
        head: impl FnOnce() -> H,
        tail: impl FnOnce() -> V,
        forget: fn(&mut V) -> &mut T,
    ) -> Self {
        const { assert!(align_of::<Whole<H, T, V>>() <= cache::ALIGN) }
        let bytes = size_of::<Whole<H, T, V>>();
        let block = cache::take_cell(bytes, drop_whole::<H, T, V>).cast::<Whole<H, T, V>>();
        let whole = block.as_ptr();
        // SAFETY: the block is large enough for a `Whole`, aligned for it, and ours alone.
        unsafe {
            (&raw mut (*whole).start.head).write(head());
            (&raw mut (*whole).tail).write(tail());
            let tail = NonNull::from(forget(&mut (*whole).tail));
            (&raw mut (*whole).start.tail).write(tail);
        }
        Shared {
            start: block.cast(),
            owns: PhantomData,
        }
    }

    /// The second value.
    #[inline(always)]
    pub(crate) fn tail(&self) -> &T {
        // SAFETY: an owner keeps the values alive, and nobody has a mutable reference to them.
        unsafe { (*self.start.as_ptr()).tail.as_ref() }
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: an owner keeps the block alive.
        unsafe { &(*self.start.as_ptr()).header }
    }

    /// True if there is no other owner.
    pub(crate) fn is_unique(&self) -> bool {
        // Acquire pairs with the release in `drop`.
        self.header().refs.load(Ordering::Acquire) & OWNERS == 1
    }
}

/// Drops the values of a block and gives the block back.
///
/// # Safety
/// The block holds these values, and nobody refers to them any more.
unsafe fn drop_whole<H, T: ?Sized, V>(block: NonNull<Header>) {
    /// Gives the block back, also where the drop of a value panics.
    struct Block(NonNull<Header>);
    impl Drop for Block {
        fn drop(&mut self) {
            cache::give_cell(self.0);
        }
    }
    let block = Block(block);
    let whole = block.0.cast::<Whole<H, T, V>>().as_ptr();
    // SAFETY: by the contract above.
    unsafe {
        (&raw mut (*whole).start.head).drop_in_place();
        (&raw mut (*whole).tail).drop_in_place();
    }
}

impl<H, T: ?Sized> Deref for Shared<H, T> {
    type Target = H;
    #[inline(always)]
    fn deref(&self) -> &H {
        // SAFETY: as in `tail`.
        unsafe { &(*self.start.as_ptr()).head }
    }
}

impl<H, T: ?Sized> Clone for Shared<H, T> {
    fn clone(&self) -> Self {
        self.more(1);
        Shared { ..*self }
    }
}

impl<H, T: ?Sized> Shared<H, T> {
    /// One more owner, who tries to claim the value in the same step; also what others have claimed.
    #[inline(always)]
    pub(super) fn claimed(&self, claim: Claim) -> (Self, Option<Claim>) {
        let before = self.more(1 + claim.one());
        let others = if before <= OWNERS {
            None
        } else {
            self.header().refs.fetch_sub(claim.one(), Ordering::Relaxed);
            Some(if before < Claim::Dropping.one() {
                Claim::Looking
            } else {
                Claim::Dropping
            })
        };
        (Shared { ..*self }, others)
    }

    /// Ends a claim.
    #[inline(always)]
    pub(super) fn unclaim(&mut self, claim: Claim) {
        let refs = &self.header().refs;
        // A sole owner, borrowed by nobody else, need not announce it.
        if refs.load(Ordering::Acquire) == 1 + claim.one() {
            refs.store(1, Ordering::Relaxed);
        } else {
            refs.fetch_sub(claim.one(), Ordering::Release);
        }
    }

    #[inline(always)]
    fn more(&self, count: usize) -> usize {
        // Acquire pairs with the release in `unclaim`.
        let before = self.header().refs.fetch_add(count, Ordering::Acquire);
        assert!(before & OWNERS < OWNERS / 2, "a value has too many owners");
        before
    }
}

thread_local! {
    /// Blocks whose value is still to be dropped, linked by their headers, while a drop is under way.
    /// They have no destructor, so they are there for values that other thread-locals hold to the end.
    static WAITING: std::cell::Cell<Option<NonNull<Header>>> = const { std::cell::Cell::new(None) };
    static DROPPING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl<H, T: ?Sized> Drop for Shared<H, T> {
    /// Always inlined, as that of [`Buffer`](super::Buffer).
    #[inline(always)]
    fn drop(&mut self) {
        leave(self.start.cast());
    }
}

/// Takes one reference from a block. The last one drops the value, and whatever that owned alone.
fn leave(mut block: NonNull<Header>) {
    // SAFETY: the reference that goes has kept the block alive.
    let refs = &unsafe { block.as_ref() }.refs;
    // A sole owner need not announce that it leaves.
    if refs.load(Ordering::Acquire) & OWNERS != 1 {
        if refs.fetch_sub(1, Ordering::Release) & OWNERS != 1 {
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
    type Link = Shared<(), Next>;
    struct Next {
        _next: Option<Link>,
        _witness: Arc<()>,
    }

    fn link(next: Option<Link>, witness: &Arc<()>) -> Link {
        let (_next, _witness) = (next, witness.clone());
        Shared::new(|| (), || Next { _next, _witness }, |next| next)
    }

    #[test]
    fn the_last_owner_drops_both_values() {
        let witness = Arc::new(());
        let (first, second) = (witness.clone(), witness.clone());
        let a = Shared::<Arc<()>, dyn Send + Sync>::new(|| first, || second, |tail| tail);
        let b = a.clone();
        assert!(!a.is_unique() && size_of_val(b.tail()) == size_of::<usize>());
        std::thread::spawn(move || drop(a)).join().unwrap();
        assert!(b.is_unique());
        assert_eq!(Arc::strong_count(&b), 3);
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
        struct Panics(#[allow(dead_code)] Link); // held for its drop
        impl Drop for Panics {
            fn drop(&mut self) {
                panic!("in a drop");
            }
        }
        let witness = Arc::new(());
        let bad = Panics(link(None, &witness));
        let bad = Shared::<(), Panics>::new(|| (), || bad, |bad| bad);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(bad))).is_err());
        drop(link(None, &witness));
        assert_eq!(Arc::strong_count(&witness), 1);
    }
}
