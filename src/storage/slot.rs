//! A value that can be dropped early, in place, and notes about it that one holder at a time keeps without a lock.

use super::shared::{Claim, Shared};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A holder of slots. It cannot be copied, so what is reached through it has no second holder.
pub(crate) struct Key {
    number: u64,
    claim: Claim,
    /// Not `Sync`: one thread at a time.
    thread: PhantomData<std::cell::Cell<()>>,
}

impl Key {
    /// Of one who is going to drop the values, or who lets them be.
    pub(crate) fn new(drops: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(FREE + 1);
        Key {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            claim: if drops {
                Claim::Dropping
            } else {
                Claim::Looking
            },
            thread: PhantomData,
        }
    }

    /// The holder's number, unlike that of any other.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

/// The holder of a slot that no key holds.
const FREE: u64 = 0;
/// Among the guests: the value was dropped.
const EMPTY: usize = 1 << (usize::BITS - 1);

/// A value, and notes. Anybody may read the value until its holder drops it; the notes are the holder's own.
///
/// A node keeps its rule in one, as the unsized tail of its own allocation (`dyn`), and a backward pass its notes.
///
/// Who holds a slot has the claim to the [`Shared`] value that the slot is in, which one of all owners gets.
pub(crate) struct Slot<N, T: ?Sized> {
    holder: AtomicU64,
    /// How many others are reading the value; or [`EMPTY`].
    guests: AtomicUsize,
    notes: UnsafeCell<N>,
    value: ManuallyDrop<UnsafeCell<T>>,
}

// SAFETY: notes go from holder to holder, one at a time; the value is read by several at once, and dropped by one
// that has it alone.
unsafe impl<N: Send, T: ?Sized + Send + Sync> Sync for Slot<N, T> {}

/// As locks are: what a panic leaves behind is for the holder's own drop to see to.
impl<N, T: ?Sized> RefUnwindSafe for Slot<N, T> {}

impl<N, T> Slot<N, T> {
    pub(crate) fn new(notes: N, value: T) -> Self {
        Slot {
            holder: AtomicU64::new(FREE),
            guests: AtomicUsize::new(0),
            notes: UnsafeCell::new(notes),
            value: ManuallyDrop::new(UnsafeCell::new(value)),
        }
    }
}

/// Who holds a slot from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// This key.
    Ours,
    /// Another one, which lets the value be.
    Looking,
    /// Another one, which is going to drop the value.
    Dropping,
}

impl<H, N, T: ?Sized> Shared<H, Slot<N, T>> {
    /// One more owner, and this key as the holder of the slot, unless somebody holds it already.
    #[inline(always)]
    pub(crate) fn met(&self, key: &Key) -> (Self, Holder) {
        let (shared, others) = self.claimed(key.claim);
        let holder = match others {
            None => {
                self.tail().holder.store(key.number, Ordering::Relaxed);
                Holder::Ours
            }
            Some(Claim::Looking) => Holder::Looking,
            Some(Claim::Dropping) => Holder::Dropping,
        };
        (shared, holder)
    }

    /// The notes and the value, if this key holds the slot; it does so again, or not, when they go out of scope.
    ///
    /// It borrows an owner alone, so that a sole one is known to be alone.
    #[inline]
    pub(crate) fn hold(&mut self, key: &mut Key, keep: bool) -> Option<Held<'_, H, N, T>> {
        if !self.tail().is_held_by(key) {
            return None;
        }
        self.tail().holder.store(FREE, Ordering::Relaxed);
        Some(Held {
            shared: self,
            claim: key.claim,
            again: keep.then_some(key.number),
            thread: PhantomData,
        })
    }
}

impl<N, T: ?Sized> Slot<N, T> {
    /// True if this key holds the slot. (Relaxed: the number is written by the thread that has the key.)
    fn is_held_by(&self, key: &Key) -> bool {
        self.holder.load(Ordering::Relaxed) == key.number
    }

    /// The notes, if this key holds the slot.
    #[inline]
    pub(crate) fn notes<'a>(&'a self, key: &'a mut Key) -> Option<&'a mut N> {
        // SAFETY: this key holds the slot, there is no other of its number, and it is borrowed as long as the notes.
        self.is_held_by(key)
            .then(|| unsafe { &mut *self.notes.get() })
    }

    /// The value, unless it was dropped.
    pub(crate) fn read(&self) -> Option<Guest<'_, N, T>> {
        let guest = Guest { slot: self };
        let before = self.guests.fetch_add(1, Ordering::Acquire);
        (before & EMPTY == 0).then_some(guest)
    }
}

impl<N, T: ?Sized> Drop for Slot<N, T> {
    fn drop(&mut self) {
        if *self.guests.get_mut() & EMPTY == 0 {
            // SAFETY: the value was not dropped before, and is not used again.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

/// A slot in the hands of its holder.
pub(crate) struct Held<'a, H, N, T: ?Sized> {
    shared: &'a mut Shared<H, Slot<N, T>>,
    claim: Claim,
    /// The key that holds the slot afterwards.
    again: Option<u64>,
    /// Not `Send`: the key that it came from finds the notes without synchronisation.
    thread: PhantomData<*const ()>,
}

impl<H, N, T: ?Sized> Held<'_, H, N, T> {
    /// What was held.
    pub(crate) fn shared(&self) -> &Shared<H, Slot<N, T>> {
        self.shared
    }

    /// The notes.
    pub(crate) fn notes(&mut self) -> &mut N {
        // SAFETY: no key holds the slot while this does, and there is one of these for it.
        unsafe { &mut *self.shared.tail().notes.get() }
    }

    /// The value, unless it was dropped.
    pub(crate) fn value(&self) -> Option<&T> {
        let slot = self.shared.tail();
        let dropped = slot.guests.load(Ordering::Relaxed) & EMPTY != 0;
        // SAFETY: only the holder drops the value, and it needs `self` mutably to do so.
        (!dropped).then(|| unsafe { &*slot.value.get() })
    }

    /// Drops the value now, unless somebody is reading it.
    pub(crate) fn empty(&mut self) {
        let slot = self.shared.tail();
        if slot
            .guests
            .compare_exchange(0, EMPTY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
        {
            // SAFETY: nobody reads the value, nobody will, and nobody else drops it.
            unsafe { slot.value.get().drop_in_place() }
        }
    }
}

impl<H, N, T: ?Sized> Drop for Held<'_, H, N, T> {
    #[inline]
    fn drop(&mut self) {
        match self.again {
            Some(key) => self.shared.tail().holder.store(key, Ordering::Relaxed),
            None => self.shared.unclaim(self.claim),
        }
    }
}

/// A value that is being read by somebody who does not hold its slot.
pub(crate) struct Guest<'a, N, T: ?Sized> {
    slot: &'a Slot<N, T>,
}

impl<N, T: ?Sized> Deref for Guest<'_, N, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the value is not dropped while guests are counted.
        unsafe { &*self.slot.value.get() }
    }
}

impl<N, T: ?Sized> Drop for Guest<'_, N, T> {
    fn drop(&mut self) {
        self.slot.guests.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::Any;
    use std::sync::Arc;

    type Any8 = Shared<(), Slot<u8, dyn Any + Send + Sync>>;

    fn slot<V: Send + Sync + 'static>(value: V) -> Any8 {
        Shared::new(|| (), || Slot::new(0, value), |slot| slot)
    }

    #[test]
    fn drops_its_value_exactly_once() {
        let witness = Arc::new(());
        let mut a = slot(witness.clone());
        let mut key = Key::new(true);
        assert!(a.met(&key).1 == Holder::Ours && a.tail().read().is_some());
        let mut held = a.hold(&mut key, true).unwrap();
        assert!(held.value().is_some());
        held.empty();
        assert_eq!(Arc::strong_count(&witness), 1);
        assert!(held.value().is_none() && held.shared().tail().read().is_none());
        held.empty();
        drop(held);
        drop(a);
        assert_eq!(Arc::strong_count(&witness), 1);

        drop(slot(witness.clone()));
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn one_key_holds_at_a_time() {
        let mut a = slot(());
        let (mut ours, mut theirs) = (Key::new(true), Key::new(false));
        assert!(a.tail().notes(&mut ours).is_none());
        assert_eq!(a.met(&ours).1, Holder::Ours);
        assert_eq!(
            [&ours, &theirs].map(|key| a.met(key).1),
            [Holder::Dropping; 2]
        );
        *a.tail().notes(&mut ours).unwrap() = 3;
        assert!(a.tail().notes(&mut theirs).is_none() && a.hold(&mut theirs, false).is_none());

        let mut held = a.hold(&mut ours, true).unwrap();
        *held.notes() += 1;
        let other = held.shared().clone();
        assert!(other.tail().notes(&mut ours).is_none());
        assert!(other.met(&theirs).1 == Holder::Dropping);
        drop((held, other));
        assert_eq!(a.tail().notes(&mut ours), Some(&mut 4));

        drop(a.hold(&mut ours, false));
        assert!(a.tail().notes(&mut ours).is_none() && a.is_unique());
        let (mut b, held) = a.met(&theirs);
        assert!(held == Holder::Ours && a.met(&ours).1 == Holder::Looking && !a.is_unique());
        drop(b.hold(&mut theirs, false));
        drop(b);
        assert!(a.is_unique() && a.met(&ours).1 == Holder::Ours);
    }

    #[test]
    fn a_value_that_is_read_stays() {
        let mut a = slot(7i32);
        let (mut key, b) = (Key::new(true), a.clone());
        assert_eq!(a.met(&key).1, Holder::Ours);
        let guest = b.tail().read().unwrap();
        let mut held = a.hold(&mut key, true).unwrap();
        held.empty();
        assert_eq!(guest.downcast_ref(), Some(&7));
        assert!(held.value().is_some());
        drop(guest);
        held.empty();
        assert!(held.value().is_none());
    }

    #[test]
    fn threads_take_turns() {
        let a: Shared<(), Slot<u32, ()>> = Shared::new(|| (), || Slot::new(0, ()), |slot| slot);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut a = a.clone();
                scope.spawn(move || {
                    let mut key = Key::new(true);
                    for _ in 0..1000 {
                        while a.met(&key).1 != Holder::Ours {
                            std::thread::yield_now();
                        }
                        *a.hold(&mut key, false).unwrap().notes() += 1;
                    }
                });
            }
        });
        let mut key = Key::new(true);
        assert!(a.is_unique() && a.met(&key).1 == Holder::Ours);
        assert_eq!(a.tail().notes(&mut key), Some(&mut 4000));
    }
}
