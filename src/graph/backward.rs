//! The backward pass: iterative, linear in nodes and edges, every rule once.

use super::node::{NodeRef, Visit};
use crate::element::Element;
use crate::storage::Buffer;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// One run of backward.
///
/// Its notes lie in the nodes themselves. A node that another thread's pass is using at the same
/// time keeps that pass's notes; ours on it then go to `elsewhere`.
pub(crate) struct Pass<E: Element> {
    id: u64,
    retain: bool,
    /// Every node the pass has met, so that its notes are wiped when the pass ends, be it by a panic.
    met: Vec<NodeRef<E>>,
    /// Nodes whose gradient is complete.
    ready: Vec<NodeRef<E>>,
    elsewhere: HashMap<u64, Visit<E>>,
}

/// Sends `seed`, the gradient of some loss with respect to `root`, back through the graph.
///
/// # Panics
/// If an earlier pass freed a part of the graph; before any gradient is touched.
#[track_caller]
pub(crate) fn backward<E: Element>(root: &NodeRef<E>, seed: Buffer<E>, retain: bool) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut pass = Pass {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        retain,
        met: Vec::new(),
        ready: Vec::new(),
        elsewhere: HashMap::new(),
    };
    if let Err(dims) = pass.explore(root) {
        panic!(
            "backward reached a result of shape {dims:?} whose graph an earlier backward has freed; \
             use `backward_retaining` for all passes over a graph but the last"
        );
    }
    pass.note(root, |visit| visit.grad = Some(seed));
    pass.ready.push(root.clone());
    while let Some(node) = pass.ready.pop() {
        pass.step(&node);
    }
}

impl<E: Element> Pass<E> {
    /// Meets every node behind `root` and counts the edges into each.
    fn explore(&mut self, root: &NodeRef<E>) -> Result<(), crate::shape::Dims> {
        self.meet(root);
        let mut next = 0;
        while next < self.met.len() {
            let node = self.met[next].clone();
            next += 1;
            let body = node.lock();
            let Some(recorded) = body.recorded.get() else {
                return Err(node.dims());
            };
            for parent in recorded.parents().iter().flatten() {
                if !self.note(parent, |visit| visit.pending += 1) {
                    self.meet(parent);
                    self.note(parent, |visit| visit.pending += 1);
                }
            }
        }
        Ok(())
    }

    /// Starts notes on a node that has none of this pass.
    fn meet(&mut self, node: &NodeRef<E>) {
        let mut body = node.lock();
        if body.visit.pass == 0 {
            body.visit.pass = self.id;
        } else {
            self.elsewhere.insert(node.id(), Visit::NONE);
        }
        drop(body);
        self.met.push(node.clone());
    }

    /// Edits this pass's notes on `node`; false if it has none.
    fn note(&mut self, node: &NodeRef<E>, edit: impl FnOnce(&mut Visit<E>)) -> bool {
        let mut body = node.lock();
        if body.visit.pass == self.id {
            edit(&mut body.visit);
            return true;
        }
        match self.elsewhere.get_mut(&node.id()) {
            Some(visit) => {
                edit(visit);
                true
            }
            None => false,
        }
    }

    /// Hands a gradient over one edge; the last one makes the node ready.
    pub(super) fn deliver(&mut self, node: &NodeRef<E>, add: impl FnOnce(&mut Option<Buffer<E>>)) {
        let mut complete = false;
        self.note(node, |visit| {
            add(&mut visit.grad);
            visit.pending -= 1;
            complete = visit.pending == 0;
        });
        if complete {
            self.ready.push(node.clone());
        }
    }

    /// Keeps the gradient where the user wants it, and runs the node's rule.
    fn step(&mut self, node: &NodeRef<E>) {
        let mut grad = None;
        self.note(node, |visit| grad = visit.grad.take());
        let grad = grad.expect("a ready node has received its gradient");
        let mut body = node.lock();
        if body.keeps {
            match &mut body.kept {
                Some(kept) => crate::kernel::accumulate(kept, grad.clone()),
                none => *none = Some(grad.clone()),
            }
        }
        let Some(recorded) = body.recorded.get_mut() else {
            panic!(
                "another thread's backward freed this graph meanwhile; use `backward_retaining` on graphs that threads share"
            );
        };
        let is_leaf = recorded.parents().is_empty();
        recorded.backward(grad, self);
        if !self.retain && !is_leaf {
            body.recorded.empty();
        }
    }
}

impl<E: Element> Drop for Pass<E> {
    fn drop(&mut self) {
        for node in &self.met {
            let mut body = node.lock();
            if body.visit.pass == self.id {
                body.visit = Visit::NONE;
            }
        }
    }
}
