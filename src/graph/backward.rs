//! The backward pass: iterative, linear in nodes and edges, every rule once.

use super::node::{NodeRef, Visit};
use crate::element::Element;
use crate::shape::Dims;
use crate::storage::Buffer;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// One run of backward.
///
/// Its notes lie in the nodes themselves. A node that another thread's pass is using at the same time keeps
/// that pass's notes; ours on it then go to `elsewhere`.
pub(crate) struct Pass<E: Element> {
    id: u64,
    retain: bool,
    /// Nodes met whose parents have not been looked at.
    unexplored: Vec<NodeRef<E>>,
    /// Nodes that wait for their gradient, at the place their notes name; taken out when their turn comes.
    waiting: Vec<Option<NodeRef<E>>>,
    /// Places of nodes whose gradient is complete.
    ready: Vec<usize>,
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
        unexplored: Vec::new(),
        waiting: Vec::new(),
        ready: Vec::new(),
        elsewhere: HashMap::new(),
    };
    pass.expect_edge(root);
    if let Err(dims) = pass.explore() {
        panic!(
            "backward reached a result of shape {dims:?} whose graph an earlier backward has freed; \
             use `backward_retaining` for all passes over a graph but the last"
        );
    }
    pass.deliver(root, |grad| *grad = Some(seed));
    while let Some(place) = pass.ready.pop() {
        let node = pass.waiting[place]
            .take()
            .expect("a node has its turn once");
        pass.step(&node);
    }
}

impl<E: Element> Pass<E> {
    /// Meets every node and counts the edges into each; or returns the sizes of one that was freed.
    fn explore(&mut self) -> Result<(), Dims> {
        while let Some(node) = self.unexplored.pop() {
            let mut body = node.lock();
            let place = self.waiting.len();
            if body.visit.pass == self.id {
                body.visit.place = place;
            } else if let Some(visit) = self.elsewhere.get_mut(&node.id()) {
                visit.place = place;
            }
            match body.recorded.get() {
                Some(recorded) => recorded
                    .parents()
                    .iter()
                    .flatten()
                    .for_each(|parent| self.expect_edge(parent)),
                None => {
                    drop(body);
                    let dims = node.dims();
                    self.unexplored.push(node);
                    return Err(dims);
                }
            }
            drop(body);
            self.waiting.push(Some(node));
        }
        Ok(())
    }

    /// Counts an edge into `node`, and meets it at the first one.
    fn expect_edge(&mut self, node: &NodeRef<E>) {
        let mut body = node.lock();
        let visit = if body.visit.pass == self.id {
            &mut body.visit
        } else if body.visit.pass == 0 && !self.elsewhere.contains_key(&node.id()) {
            self.unexplored.push(node.clone());
            body.visit.pass = self.id;
            &mut body.visit
        } else {
            self.elsewhere.entry(node.id()).or_insert_with(|| {
                self.unexplored.push(node.clone());
                Visit::NONE
            })
        };
        visit.pending += 1;
    }

    /// Hands a gradient over one edge; the last one makes the node ready.
    pub(super) fn deliver(&mut self, node: &NodeRef<E>, add: impl FnOnce(&mut Option<Buffer<E>>)) {
        let mut body = node.lock();
        let visit = if body.visit.pass == self.id {
            &mut body.visit
        } else {
            self.elsewhere
                .get_mut(&node.id())
                .expect("the node was met")
        };
        add(&mut visit.grad);
        visit.pending -= 1;
        if visit.pending == 0 {
            self.ready.push(visit.place);
        }
    }

    /// Keeps the gradient where the user wants it, and runs the node's rule.
    fn step(&mut self, node: &NodeRef<E>) {
        let mut body = node.lock();
        let visit = if body.visit.pass == self.id {
            std::mem::replace(&mut body.visit, Visit::NONE)
        } else {
            self.elsewhere.remove(&node.id()).expect("the node was met")
        };
        let grad = visit.grad.expect("a ready node has received its gradient");
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

/// Wipes the notes on nodes that had no turn because the pass ended early, in a panic.
impl<E: Element> Drop for Pass<E> {
    fn drop(&mut self) {
        for node in self.unexplored.iter().chain(self.waiting.iter().flatten()) {
            let mut body = node.lock();
            if body.visit.pass == self.id {
                body.visit = Visit::NONE;
            }
        }
    }
}
