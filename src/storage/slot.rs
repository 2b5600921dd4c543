//! A value that can be dropped early, in place, and notes about it that one holder at a time keeps without a lock.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A holder of slots. It cannot be copied, so what is reached through it has no second holder.
pub(crate) struct Key {
    number: u64,
    /// Not `Sync`: one thread at a time.
    thread: PhantomData<std::cell::Cell<()>>,
}

impl Key {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(FREE + 1);
        Key {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            thread: PhantomData,
        }
    }

    /// The holder's number, unlike that of any other.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

/// The holder of a slot that nobody holds.
const FREE: u64 = 0;
/// The holder of a slot that a [`Held`] stands for.
const IN_USE: u64 = u64::MAX;
/// Among the guests: the value was dropped.
const EMPTY: usize = 1 << (usize::BITS - 1);

/// A value, and notes. Anybody may read the value until its holder drops it; the notes are the holder's own.
///
/// A node keeps its rule in one, as the unsized tail of its own allocation (`dyn`), and a backward pass its notes.
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

impl<N, T: ?Sized> Slot<N, T> {
    /// Holds the slot with this key from now on; false if somebody holds it already.
    pub(crate) fn claim(&self, key: &Key) -> bool {
        self.holder
            .compare_exchange(FREE, key.number, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

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

    /// The notes and the value, if this key holds the slot; it does so again, or not, when they go out of scope.
    #[inline]
    pub(crate) fn hold(&self, key: &mut Key, keep: bool) -> Option<Held<'_, N, T>> {
        if !self.is_held_by(key) {
            return None;
        }
        self.holder.store(IN_USE, Ordering::Relaxed);
        Some(Held {
            slot: self,
            then: if keep { key.number } else { FREE },
            thread: PhantomData,
        })
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
pub(crate) struct Held<'a, N, T: ?Sized> {
    slot: &'a Slot<N, T>,
    /// Who holds the slot afterwards.
    then: u64,
    /// Not `Send`: the key that it came from finds the notes without synchronisation.
    thread: PhantomData<*const ()>,
}

impl<N, T: ?Sized> Held<'_, N, T> {
    /// The notes.
    pub(crate) fn notes(&mut self) -> &mut N {
        // SAFETY: no key holds the slot while this does, and there is one of these for it.
        unsafe { &mut *self.slot.notes.get() }
    }

    /// The value, unless it was dropped.
    pub(crate) fn value(&self) -> Option<&T> {
        let dropped = self.slot.guests.load(Ordering::Relaxed) & EMPTY != 0;
        // SAFETY: only the holder drops the value, and it needs `self` mutably to do so.
        (!dropped).then(|| unsafe { &*self.slot.value.get() })
    }

    /// Drops the value now, unless somebody is reading it.
    pub(crate) fn empty(&mut self) {
        let guests = &self.slot.guests;
        if guests
            .compare_exchange(0, EMPTY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
        {
            // SAFETY: nobody reads the value, nobody will, and nobody else drops it.
            unsafe { self.slot.value.get().drop_in_place() }
        }
    }
}

impl<N, T: ?Sized> Drop for Held<'_, N, T> {
    fn drop(&mut self) {
        self.slot.holder.store(self.then, Ordering::Release);
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

    #[test]
    fn drops_its_value_exactly_once() {
        let witness = Arc::new(());
        let slot: Box<Slot<u8, dyn Any + Send + Sync>> = Box::new(Slot::new(0, witness.clone()));
        let mut key = Key::new();
        assert!(slot.claim(&key) && slot.read().is_some());
        let mut held = slot.hold(&mut key, true).unwrap();
        assert!(held.value().is_some());
        held.empty();
        assert_eq!(Arc::strong_count(&witness), 1);
        assert!(held.value().is_none() && slot.read().is_none());
        held.empty();
        drop(held);
        drop(slot);
        assert_eq!(Arc::strong_count(&witness), 1);

        drop(Slot::new(0, witness.clone()));
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn one_key_holds_at_a_time() {
        let slot = Slot::new(0, ());
        let (mut ours, mut theirs) = (Key::new(), Key::new());
        assert!(slot.notes(&mut ours).is_none());
        assert!(slot.claim(&ours) && !slot.claim(&theirs) && !slot.claim(&ours));
        *slot.notes(&mut ours).unwrap() = 3;
        assert!(slot.notes(&mut theirs).is_none() && slot.hold(&mut theirs, false).is_none());

        let mut held = slot.hold(&mut ours, true).unwrap();
        *held.notes() += 1;
        assert!(slot.notes(&mut ours).is_none() && !slot.claim(&theirs));
        drop(held);
        assert_eq!(slot.notes(&mut ours), Some(&mut 4));

        drop(slot.hold(&mut ours, false));
        assert!(slot.notes(&mut ours).is_none() && slot.claim(&theirs));
    }

    #[test]
    fn a_value_that_is_read_stays() {
        let slot = Slot::new((), String::from("rule"));
        let mut key = Key::new();
        assert!(slot.claim(&key));
        let guest = slot.read().unwrap();
        let mut held = slot.hold(&mut key, true).unwrap();
        held.empty();
        assert_eq!(
            (&**guest, held.value().map(|s| &**s)),
            ("rule", Some("rule"))
        );
        drop(guest);
        held.empty();
        assert!(held.value().is_none());
    }

    #[test]
    fn threads_take_turns() {
        let slot = Slot::new(0, ());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut key = Key::new();
                    for _ in 0..1000 {
                        while !slot.claim(&key) {
                            std::thread::yield_now();
                        }
                        *slot.hold(&mut key, false).unwrap().notes() += 1;
                    }
                });
            }
        });
        let mut key = Key::new();
        assert!(slot.claim(&key));
        assert_eq!(slot.notes(&mut key), Some(&mut 4000));
    }
}
