//! Functions that a backward pass calls when the gradient of a tensor is complete.

use super::node::{Node, NodeRef};
use super::site::Site;
use crate::element::Element;
use crate::storage::Buffer;
use std::fmt;
use std::sync::{Arc, Weak};

/// What is called with a gradient: one that may replace it, or one that looks at what a leaf has kept.
pub(crate) enum Call<E: Element> {
    /// Before the gradient is kept or goes on; returns the one that does.
    Before(Box<dyn Fn(Buffer<E>) -> Buffer<E> + Send + Sync>),
    /// After it was added to what the leaf has kept, with the sum.
    After(Box<dyn Fn(Buffer<E>) + Send + Sync>),
}

/// The hooks of a node, in the order in which they came.
pub(super) struct Hooks<E: Element> {
    next: u64,
    calls: Vec<(u64, Arc<Call<E>>)>,
    /// Who called the operation, where anomalies are looked for. It stands here since hardly any node has one.
    pub(super) site: Option<Site>,
}

/// The calls of a node as they stand when its turn comes: what a hook adds or removes counts from the next pass on.
pub(super) type Calls<E> = Vec<Arc<Call<E>>>;

impl<E: Element> Hooks<E> {
    pub(super) const NONE: Self = Hooks {
        next: 0,
        calls: Vec::new(),
        site: None,
    };

    pub(super) fn calls(&self) -> Calls<E> {
        self.calls.iter().map(|(_, call)| call.clone()).collect()
    }

    fn add(&mut self, call: Call<E>) -> u64 {
        self.next += 1;
        self.calls.push((self.next, Arc::new(call)));
        self.next
    }

    /// Takes a call out. It is for the caller to drop, once no lock is held: its drop may run user code.
    fn remove(&mut self, id: u64) -> Option<Arc<Call<E>>> {
        let place = self.calls.iter().position(|(other, _)| *other == id)?;
        Some(self.calls.remove(place).1)
    }
}

/// A handle to a hook that was registered on a tensor, to remove it with.
///
/// Dropping the handle leaves the hook in place; the hook goes with the tensor's node.
#[derive(Clone)]
pub struct Hook<E: Element> {
    node: Weak<Node<E>>,
    id: u64,
}

impl<E: Element> Hook<E> {
    pub(crate) fn register(node: &NodeRef<E>, call: Call<E>) -> Self {
        let id = node.hooks(|hooks| hooks.add(call));
        Hook {
            node: Arc::downgrade(node),
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
        if let Some(node) = self.node.upgrade() {
            let removed = node.hooks(|hooks| hooks.remove(self.id));
            drop(removed);
        }
    }
}

impl<E: Element> fmt::Debug for Hook<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("id", &self.id).finish()
    }
}
