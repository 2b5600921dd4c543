//! The backward pass: iterative, linear in nodes and edges, every rule once.

use super::anomaly::{self, Running, Sought, Source, bad_gradient};
use super::hook::Call;
use super::mode::{no_grad, passing};
use super::node::{NodeRef, Recorded, Visit};
use super::rule::Rule;
use crate::element::Element;
use crate::shape::Dims;
use crate::storage::{Buffer, Holder, Key};
use std::collections::{HashMap, HashSet};

/// One run of backward.
///
/// Its notes lie in the nodes themselves, which it holds from the first edge into them to the end of their turn. On a
/// node that another pass holds at the same time, ours go to `elsewhere`, and we leave the freeing to the other.
pub(crate) struct Pass<E: Element> {
    key: Key,
    retain: bool,
    /// Every node met, at the place its notes name; taken out when its gradient is complete.
    waiting: Vec<Option<NodeRef<E>>>,
    /// Places of nodes whose gradient is complete.
    ready: Vec<u32>,
    elsewhere: HashMap<u64, Visit<E>>,
    /// What a pass for the gradients of certain tensors alone looks for; any other pass leaves gradients at leaves.
    search: Option<Search<E>>,
    /// A bit for each of the first 64 parents that the current rule has given a gradient.
    given: u64,
    /// What to stop at, where anomalies are looked for.
    sought: Option<Sought>,
    /// The node whose rule runs, and the rule's name, where anomalies are looked for.
    running: Option<(NodeRef<E>, Running)>,
}

/// The tensors whose gradients a pass looks for.
struct Search<E: Element> {
    /// The numbers of the nodes between the root and any of them, both included.
    on_the_way: HashSet<u64>,
    /// What has been found, by the number of the node.
    found: HashMap<u64, Option<Buffer<E>>>,
    /// Whether the pass ends at each of them: it asks for what reaches them, and another pass goes on from there.
    ends: bool,
}

/// How far a pass for the gradients of certain tensors goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the last of them, through the others.
    Through,
    /// To each of them, and no further.
    To,
}

/// Sends `seed`, the gradient of some loss with respect to `root`, back through the graph.
///
/// # Errors
/// If an earlier pass freed a part of the graph; before any gradient is touched.
pub(crate) fn backward<E: Element>(
    root: &NodeRef<E>,
    seed: Buffer<E>,
    retain: bool,
) -> Result<(), Freed> {
    Pass::new(retain, None).run(root, seed)
}

/// The gradients of the targets where `seed` is that of `root`; `None` for a target that `root` does not depend on.
///
/// Nothing is left at leaves. `Reach::Through` counts what reaches a target by way of another one, and the graph
/// stays; `Reach::To` does not, frees the graph up to the targets, and leaves their hooks alone.
///
/// # Errors
/// If an earlier pass freed a part of the graph.
pub(crate) fn gradients<E: Element>(
    root: &NodeRef<E>,
    seed: Buffer<E>,
    targets: &[u64],
    reach: Reach,
) -> Result<Vec<Option<Buffer<E>>>, Freed> {
    let search = Search::between(root, targets, reach)?;
    let mut pass = Pass::new(reach == Reach::Through, Some(search));
    if pass.wants(root) {
        pass.run(root, seed)?;
    }
    let search = pass.search.take().expect("it was given");
    Ok(targets.iter().map(|id| search.found[id].clone()).collect())
}

/// A node that a pass cannot go through.
///
/// It is handed back to the typed method, which panics: there the line of the program that called it is known.
pub(crate) enum Freed {
    /// An earlier pass freed it. These are its sizes.
    Before(Dims),
    /// Another pass that is under way is going to free it, as this one would.
    Now(Dims),
}

impl Freed {
    #[cold]
    #[track_caller]
    pub(crate) fn refuse(self) -> ! {
        let (dims, whose) = match self {
            Freed::Before(dims) => (dims, "whose graph an earlier backward has freed"),
            Freed::Now(dims) => (
                dims,
                "whose graph is being freed by another backward that is under way",
            ),
        };
        panic!(
            "backward reached a result of shape {dims:?} {whose}; \
             use `backward_retaining` for all passes over a graph but the last"
        );
    }
}

impl<E: Element> Search<E> {
    /// Finds the nodes on the way from `root` to the targets.
    fn between(root: &NodeRef<E>, targets: &[u64], reach: Reach) -> Result<Self, Freed> {
        let mut search = Search {
            on_the_way: HashSet::new(),
            found: targets.iter().map(|&id| (id, None)).collect(),
            ends: reach == Reach::To,
        };
        let mut nodes = vec![root.clone()];
        let mut met = HashSet::from([root.id()]);
        let mut next = 0;
        while next < nodes.len() {
            let node = nodes[next].clone();
            next += 1;
            if search.ends_at(&node) {
                continue;
            }
            let explored = node.recorded(|recorded| {
                let parents = recorded.parents().iter().flatten();
                nodes.extend(parents.filter(|parent| met.insert(parent.id())).cloned());
            });
            explored.ok_or(Freed::Before(node.dims()))?;
        }
        // Parents are older than their children.
        nodes.sort_by_key(|node| node.id());
        for node in &nodes {
            let leads = || {
                node.recorded(|recorded| {
                    let mut parents = recorded.parents().iter().flatten();
                    parents.any(|parent| search.on_the_way.contains(&parent.id()))
                })
            };
            if search.found.contains_key(&node.id()) || leads() == Some(true) {
                search.on_the_way.insert(node.id());
            }
        }
        Ok(search)
    }

    /// True if the pass goes no further than this node.
    fn ends_at(&self, node: &NodeRef<E>) -> bool {
        self.ends && self.found.contains_key(&node.id())
    }
}

impl<E: Element> Pass<E> {
    fn new(retain: bool, search: Option<Search<E>>) -> Self {
        Pass {
            key: Key::new(!retain),
            retain,
            waiting: Vec::new(),
            ready: Vec::new(),
            elsewhere: HashMap::new(),
            search,
            given: 0,
            sought: anomaly::sought(),
            running: None,
        }
    }

    /// Runs from `root` to the end; or refuses to, before any gradient is touched.
    #[track_caller]
    fn run(&mut self, root: &NodeRef<E>, seed: Buffer<E>) -> Result<(), Freed> {
        self.expect_edge(root)?;
        self.explore()?;
        self.stop_at(Source::Seed, root, root.dims(), &seed);
        self.deliver(root, seed);
        passing(self.key.number(), || {
            while let Some(place) = self.ready.pop() {
                let node = self.waiting[place as usize].take();
                self.step(node.expect("a node has its turn once"));
            }
        });
        Ok(())
    }

    /// True if the pass has a use for this node's gradient.
    #[inline]
    pub(super) fn wants(&self, node: &NodeRef<E>) -> bool {
        match &self.search {
            None => true,
            Some(search) => search.on_the_way.contains(&node.id()),
        }
    }

    /// True if the pass goes no further than this node.
    fn ends_at(&self, node: &NodeRef<E>) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.ends_at(node))
    }

    /// Meets every node and counts the edges into each.
    fn explore(&mut self) -> Result<(), Freed> {
        let mut next = 0;
        while next < self.waiting.len() {
            let mut node = self.waiting[next].take().expect("no node had its turn yet");
            let explored = if self.ends_at(&node) {
                Some(Ok(()))
            } else if let Some(held) = node.hold(&mut self.key, true) {
                held.value().map(|recorded| self.expect_parents(recorded))
            } else {
                node.recorded(|recorded| self.expect_parents(recorded))
            };
            let dims = node.dims();
            self.waiting[next] = Some(node);
            explored.ok_or(Freed::Before(dims))??;
            next += 1;
        }
        Ok(())
    }

    fn expect_parents(&mut self, recorded: &dyn Recorded<E>) -> Result<(), Freed> {
        for parent in recorded.parents().iter().flatten() {
            if self.wants(parent) {
                self.expect_edge(parent)?;
            }
        }
        Ok(())
    }

    /// Counts an edge into `node`, and meets it at the first one.
    fn expect_edge(&mut self, node: &NodeRef<E>) -> Result<(), Freed> {
        if let Some(visit) = node.tail().notes(&mut self.key) {
            visit.pending += 1;
            return Ok(());
        }
        if let Some(visit) = self.elsewhere.get_mut(&node.id()) {
            visit.pending += 1;
            return Ok(());
        }
        let met = Visit {
            place: u32::try_from(self.waiting.len()).expect("fewer than 2^32 nodes fit in memory"),
            pending: 1,
            grad: None,
        };
        let (share, holder) = node.met(&self.key);
        self.waiting.push(Some(share));
        match holder {
            Holder::Ours => {
                let visit = node.tail().notes(&mut self.key);
                *visit.expect("the node was claimed") = met;
            }
            Holder::Dropping if !self.retain && !node.is_leaf() && !self.ends_at(node) => {
                return Err(Freed::Now(node.dims()));
            }
            _ => {
                self.elsewhere.insert(node.id(), met);
            }
        }
        Ok(())
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
            let sum = crate::kernel::accumulate(sum, grad);
            self.stop_at(Source::Sum, node, node.dims(), &sum);
            self.notes(node, |visit| visit.arrived(sum))
        });
        self.ready.extend(ready);
    }

    /// As [`deliver`](Self::deliver), where `add` adds the gradient to what has arrived so far.
    pub(super) fn deliver_into(&mut self, i: usize, node: &NodeRef<E>, add: impl FnOnce(&mut [E])) {
        let zeros = || Buffer::filled(node.numel(), E::zero());
        let sought = self.sought;
        let (ready, found) = self.notes(node, |visit| {
            let mut sum = visit.grad.take().unwrap_or_else(zeros);
            add(sum.make_mut());
            let found = sought.and_then(|sought| sought.first(&sum));
            (visit.arrived(sum), found)
        });
        if let (Some(found), Some((running, name))) = (found, &self.running) {
            bad_gradient(Source::Rule(*name, i), running, node.dims(), found);
        }
        self.ready.extend(ready);
    }

    /// Notes which rule runs, where anomalies are looked for.
    pub(super) fn runs(&mut self, rule: &dyn Rule<E>) {
        if let Some((_, running)) = &mut self.running {
            *running = Running::of(rule);
        }
    }

    /// Stops at a gradient that the current rule gives to parent `i`, if it is what is looked for.
    pub(super) fn examine(&self, i: usize, parent: &NodeRef<E>, grad: &[E]) {
        if let Some((running, name)) = &self.running {
            self.stop_at(Source::Rule(*name, i), running, parent.dims(), grad);
        }
    }

    /// Stops if a gradient of these sizes is what is looked for; `node` is to blame.
    fn stop_at(&self, source: Source, node: &NodeRef<E>, dims: Dims, grad: &[E]) {
        if let Some(found) = self.sought.and_then(|sought| sought.first(grad)) {
            bad_gradient(source, node, dims, found);
        }
    }

    /// Calls `edit` with this pass's notes on a node that it has met.
    #[inline]
    fn notes<T>(&mut self, node: &NodeRef<E>, edit: impl FnOnce(&mut Visit<E>) -> T) -> T {
        if let Some(visit) = node.tail().notes(&mut self.key) {
            return edit(visit);
        }
        let visit = self.elsewhere.get_mut(&node.id());
        edit(visit.expect("the node was met"))
    }

    /// A node's turn: its gradient is complete.
    #[track_caller]
    fn step(&mut self, mut node: NodeRef<E>) {
        let Some(mut held) = node.hold(&mut self.key, false) else {
            let visit = self.elsewhere.remove(&node.id());
            let grad = visit.expect("the node was met").grad;
            let passed = self.arrive(&node, grad).is_none_or(|grad| {
                node.recorded(|recorded| self.pass(&node, recorded, grad))
                    .is_some()
            });
            return assert!(passed, "{FREED_MEANWHILE}");
        };
        let grad = held.notes().grad.take();
        let node = held.shared();
        let Some(grad) = self.arrive(node, grad) else {
            return;
        };
        let passed = held.value().map(|recorded| self.pass(node, recorded, grad));
        assert!(passed.is_some(), "{FREED_MEANWHILE}");
        // A node that nobody else has goes as a whole.
        if !self.retain && !node.is_unique() && !node.is_leaf() {
            held.empty();
        }
    }

    /// Keeps the gradient where it is wanted, and calls the node's hooks; returns the gradient that goes on, if it does.
    fn arrive(&mut self, node: &NodeRef<E>, grad: Option<Buffer<E>>) -> Option<Buffer<E>> {
        let mut grad = grad.expect("a ready node has received its gradient");
        if let Some(search) = self.search.as_mut().filter(|search| search.ends_at(node)) {
            search.found.insert(node.id(), Some(grad));
            return None;
        }
        // User code runs without the lock: it may start passes of its own, and add or remove hooks.
        let hooks = node.attended().and_then(|state| state.hooks.clone());
        let calls = hooks.map(|hooks| hooks.calls()).unwrap_or_default();
        for call in &calls {
            if let Call::Before(hook) = &**call {
                grad = no_grad(|| hook(grad));
                self.stop_at(Source::Hook, node, node.dims(), &grad);
            }
        }
        if let Some(search) = &mut self.search {
            if let Some(found) = search.found.get_mut(&node.id()) {
                *found = Some(grad.clone());
            }
        } else if let Some(mut state) = node.attended().filter(|state| state.keeps) {
            match &mut state.kept {
                Some(kept) => {
                    let sum = std::mem::take(kept);
                    *kept = crate::kernel::accumulate(sum, grad.clone());
                }
                none => *none = Some(grad.clone()),
            }
            let kept = (!calls.is_empty()).then(|| state.kept.clone()).flatten();
            drop(state);
            for call in &calls {
                if let (Call::After(hook), Some(kept)) = (&**call, &kept) {
                    no_grad(|| hook(kept.clone()));
                }
            }
        }
        (!node.is_leaf()).then_some(grad)
    }

    /// Runs the rule of a node.
    fn pass(&mut self, node: &NodeRef<E>, recorded: &dyn Recorded<E>, grad: Buffer<E>) {
        self.given = 0;
        if self.sought.is_some() {
            self.running = Some((node.clone(), Running::default()));
        }
        recorded.backward(grad, self);
    }
}

/// What a pass says that finds a node freed which was whole when it began.
const FREED_MEANWHILE: &str = "another thread's backward freed this graph meanwhile; use `backward_retaining` on graphs \
                               that threads share";

/// Lets go of the nodes that had no turn because the pass ended early, in a panic.
impl<E: Element> Drop for Pass<E> {
    fn drop(&mut self) {
        for node in self.waiting.iter_mut().flatten() {
            if let Some(mut held) = node.hold(&mut self.key, false) {
                *held.notes() = Visit::NONE;
            }
        }
    }
}
