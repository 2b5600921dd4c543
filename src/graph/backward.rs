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
    /// Every node met, at the place its notes name; taken out when its gradient is complete.
    waiting: Vec<Option<NodeRef<E>>>,
    /// Places of nodes whose gradient is complete.
    ready: Vec<usize>,
    elsewhere: HashMap<u64, Visit<E>>,
    /// A bit for each of the first 64 parents that the current rule has given a gradient.
    given: u64,
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
        waiting: Vec::new(),
        ready: Vec::new(),
        elsewhere: HashMap::new(),
        given: 0,
    };
    pass.expect_edge(root);
    if let Err(dims) = pass.explore() {
        panic!(
            "backward reached a result of shape {dims:?} whose graph an earlier backward has freed; \
             use `backward_retaining` for all passes over a graph but the last"
        );
    }
    pass.deliver(root, seed);
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
        let mut next = 0;
        while next < self.waiting.len() {
            let node = self.waiting[next].take().expect("no node had its turn yet");
            let explored = node.recorded(false, |recorded| {
                for parent in recorded.parents().iter().flatten() {
                    self.expect_edge(parent);
                }
            });
            let dims = node.dims();
            self.waiting[next] = Some(node);
            explored.ok_or(dims)?;
            next += 1;
        }
        Ok(())
    }

    /// Counts an edge into `node`, and meets it at the first one.
    fn expect_edge(&mut self, node: &NodeRef<E>) {
        let mut state = node.lock();
        let visit = if state.visit.pass == self.id {
            &mut state.visit
        } else if state.visit.pass == 0 && !self.elsewhere.contains_key(&node.id()) {
            state.visit.pass = self.id;
            state.visit.place = self.waiting.len();
            self.waiting.push(Some(node.clone()));
            &mut state.visit
        } else {
            self.elsewhere.entry(node.id()).or_insert_with(|| {
                let place = self.waiting.len();
                self.waiting.push(Some(node.clone()));
                Visit {
                    place,
                    ..Visit::NONE
                }
            })
        };
        visit.pending += 1;
    }

    /// Notes that the current rule gives parent `i` its gradient.
    ///
    /// # Panics
    /// If it has done so before: another parent would go without, and the number of gradients still be right.
    #[track_caller]
    pub(super) fn note_given(&mut self, i: usize) {
        let bit = 1u64.checked_shl(i as u32).unwrap_or(0);
        assert!(
            self.given & bit == 0,
            "a rule gave parent {i} its gradient twice"
        );
        self.given |= bit;
    }

    /// Hands a gradient over one edge; the last one makes the node ready.
    pub(super) fn deliver(&mut self, node: &NodeRef<E>, grad: Buffer<E>) {
        let ready = self.notes(node, |visit| match visit.grad.take() {
            None => Ok(visit.arrived(grad)),
            Some(sum) => Err((sum, grad)),
        });
        let ready = ready.unwrap_or_else(|(sum, grad)| {
            // Without the lock: this may take several threads. Nobody else looks at this pass's notes.
            let sum = crate::kernel::accumulate(sum, grad);
            self.notes(node, |visit| visit.arrived(sum))
        });
        self.ready.extend(ready);
    }

    /// As [`deliver`](Self::deliver), where `add` adds the gradient to what has arrived so far.
    pub(super) fn deliver_into(&mut self, node: &NodeRef<E>, add: impl FnOnce(&mut [E])) {
        let zeros = || Buffer::filled(node.numel(), E::zero());
        let ready = self.notes(node, |visit| {
            let mut sum = visit.grad.take().unwrap_or_else(zeros);
            add(sum.make_mut());
            visit.arrived(sum)
        });
        self.ready.extend(ready);
    }

    /// Calls `edit` with this pass's notes on a node that it has met.
    fn notes<T>(&mut self, node: &NodeRef<E>, edit: impl FnOnce(&mut Visit<E>) -> T) -> T {
        let mut state = node.lock();
        if state.visit.pass == self.id {
            return edit(&mut state.visit);
        }
        edit(
            self.elsewhere
                .get_mut(&node.id())
                .expect("the node was met"),
        )
    }

    /// Keeps the gradient where the user wants it, and runs the node's rule.
    fn step(&mut self, node: &NodeRef<E>) {
        let mut state = node.lock();
        let visit = if state.visit.pass == self.id {
            std::mem::replace(&mut state.visit, Visit::NONE)
        } else {
            self.elsewhere.remove(&node.id()).expect("the node was met")
        };
        let grad = visit.grad.expect("a ready node has received its gradient");
        if state.keeps {
            match &mut state.kept {
                Some(kept) => crate::kernel::accumulate_alone(kept, &grad),
                none => *none = Some(grad.clone()),
            }
        }
        drop(state);
        if !node.is_leaf() {
            self.given = 0;
            let done = node.recorded(!self.retain, |recorded| recorded.backward(grad, self));
            assert!(
                done.is_some(),
                "another thread's backward freed this graph meanwhile; use `backward_retaining` on graphs that threads share"
            );
        }
    }
}

/// Wipes the notes on nodes that had no turn because the pass ended early, in a panic.
impl<E: Element> Drop for Pass<E> {
    fn drop(&mut self) {
        for node in self.waiting.iter().flatten() {
            let mut state = node.lock();
            if state.visit.pass == self.id {
                state.visit = Visit::NONE;
            }
        }
    }
}
