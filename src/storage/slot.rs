//! A value that can be dropped early, in place, although its owner lives on.

use std::mem::ManuallyDrop;

/// Holds one value until [`Slot::empty`] drops it.
///
/// `Option<T>` does this for sized types. A node keeps its rule as the unsized tail of its own
/// allocation (`dyn`), which an `Option` cannot hold.
pub(crate) struct Slot<T: ?Sized> {
    full: bool,
    value: ManuallyDrop<T>,
}

impl<T> Slot<T> {
    pub(crate) fn new(value: T) -> Self {
        Slot {
            full: true,
            value: ManuallyDrop::new(value),
        }
    }
}

impl<T: ?Sized> Slot<T> {
    pub(crate) fn get(&self) -> Option<&T> {
        self.full.then_some(&self.value)
    }

    /// Drops the value now.
    pub(crate) fn empty(&mut self) {
        if std::mem::replace(&mut self.full, false) {
            // SAFETY: `full` was true, so the value has not been dropped; it is false from here on,
            // so no method hands the value out again and `Drop` leaves it alone.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

impl<T: ?Sized> Drop for Slot<T> {
    fn drop(&mut self) {
        self.empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn drops_its_value_exactly_once() {
        let witness = Rc::new(());
        let mut slot: Box<Slot<dyn std::any::Any>> = Box::new(Slot::new(witness.clone()));
        assert!(slot.get().is_some());
        slot.empty();
        assert_eq!(Rc::strong_count(&witness), 1);
        assert!(slot.get().is_none());
        slot.empty();
        drop(slot);
        assert_eq!(Rc::strong_count(&witness), 1);

        drop(Slot::new(witness.clone()));
        assert_eq!(Rc::strong_count(&witness), 1);
    }
}
