//! Functions that a backward pass calls when the gradient of a tensor is complete.

use super::node::NodeRef;
use crate::element::Element;
use crate::storage::Buffer;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What is called with a gradient: one that may replace it, or one that looks at what a leaf has kept.
pub(crate) enum Call<E: Element> {
    /// Before the gradient is kept or goes on; returns the one that does.
    Before(Box<dyn Fn(Buffer<E>) -> Buffer<E> + Send + Sync>),
    /// After it was added to what the leaf has kept, with the sum.
    After(Box<dyn Fn(Buffer<E>) + Send + Sync>),
}

/// The hooks of a node, which handles refer to for as long as the node lives.
pub(super) struct Hooks<E: Element>(Arc<Mutex<List<E>>>);

/// Calls in the order in which they came.
struct List<E: Element> {
    next: u64,
    calls: Vec<(u64, Arc<Call<E>>)>,
}

/// The calls of a node as they stand when its turn comes: what a hook adds or removes counts from the next pass on.
pub(super) type Calls<E> = Vec<Arc<Call<E>>>;

impl<E: Element> Hooks<E> {
    pub(super) fn calls(&self) -> Calls<E> {
        let calls = &lock(&self.0).calls;
        calls.iter().map(|(_, call)| call.clone()).collect()
    }
}

impl<E: Element> Clone for Hooks<E> {
    fn clone(&self) -> Self {
        Hooks(self.0.clone())
    }
}

impl<E: Element> Default for Hooks<E> {
    fn default() -> Self {
        let (next, calls) = (0, Vec::new());
        Hooks(Arc::new(Mutex::new(List { next, calls })))
    }
}

/// A poisoned lock is no reason to stop: no user code runs under it.
fn lock<E: Element>(list: &Mutex<List<E>>) -> MutexGuard<'_, List<E>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle to a hook that was registered on a tensor, to remove it with.
///
/// Dropping the handle leaves the hook in place; the hook goes with the tensor's node.
#[derive(Clone)]
pub struct Hook<E: Element> {
    hooks: Weak<Mutex<List<E>>>,
    id: u64,
}

impl<E: Element> Hook<E> {
    pub(crate) fn register(node: &NodeRef<E>, call: Call<E>) -> Self {
        let hooks = node.hooks().0;
        let mut list = lock(&hooks);
        list.next += 1;
        let id = list.next;
        list.calls.push((id, Arc::new(call)));
        drop(list);
        Hook {
            hooks: Arc::downgrade(&hooks),
            id,
        }
    }

    /// Removes the hook. A second time, or where the tensor is gone, it does nothing.
    ///
    /// A hook may remove itself or another one: that counts from the next pass on.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(2.0f32).tracked();
    /// let hook = x.register_hook(|grad| grad * 10.0);
    /// x.square().backward();
    /// hook.remove();
    /// x.square().backward();
    /// assert_eq!(x.grad().unwrap().item(), 40.0 + 4.0);
    /// ```
    pub fn remove(&self) {
        let Some(hooks) = self.hooks.upgrade() else {
            return;
        };
        let mut list = lock(&hooks);
        let place = list.calls.iter().position(|(id, _)| *id == self.id);
        let removed = place.map(|place| list.calls.remove(place));
        // Its drop may run user code: not under the lock.
        drop(list);
        drop(removed);
    }
}

impl<E: Element> fmt::Debug for Hook<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("id", &self.id).finish()
    }
}
