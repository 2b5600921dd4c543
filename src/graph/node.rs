//! A node of the graph: one allocation that holds its parents, its rule, and the state of a backward pass.

use super::backward::Pass;
use super::hook::Hooks;
use super::mode::{is_recording, note};
use super::rule::{Cotangents, Rule};
use super::site::Site;
use crate::element::Element;
use crate::shape::Dims;
use crate::storage::{Buffer, Shared, Slot};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A shared node: what is known of any tensor of the graph, and what was recorded, until a backward pass frees it, with
/// that pass's notes.
pub(crate) type NodeRef<E> = Shared<Node<E>, Slot<Visit<E>, dyn Recorded<E>>>;

/// One tensor of the graph: a leaf, or the result of an operation.
pub(crate) struct Node<E: Element> {
    /// Creation number. Parents are older than their children.
    id: u64,
    dims: Dims,
    /// Where gradients end up: no operation stands behind it.
    leaf: bool,
    /// Most nodes have none.
    state: OnceLock<Box<Mutex<State<E>>>>,
}

/// What users have asked of a node, or left at it.
///
/// What runs while its lock is held are loops over numbers: threads that join in them take no locks.
pub(super) struct State<E: Element> {
    /// Gradients are kept here for the user: always on leaves, on others after `retain_grad`.
    pub(super) keeps: bool,
    pub(super) kept: Option<Buffer<E>>,
    /// Called when the gradient is complete; most nodes have none.
    pub(super) hooks: Option<Hooks<E>>,
    /// Who called the operation, where anomalies are looked for.
    site: Option<Site>,
}

impl<E: Element> Default for State<E> {
    fn default() -> Self {
        State {
            keeps: false,
            kept: None,
            hooks: None,
            site: None,
        }
    }
}

/// A backward pass's notes on a node.
pub(crate) struct Visit<E: Element> {
    /// Where the pass keeps the node.
    pub(super) place: u32,
    /// Edges from children whose gradient has not arrived yet.
    pub(super) pending: u32,
    /// The sum of what has arrived.
    pub(super) grad: Option<Buffer<E>>,
}

impl<E: Element> Visit<E> {
    pub(super) const NONE: Self = Visit {
        place: 0,
        pending: 0,
        grad: None,
    };

    /// Notes that a gradient came, and the sum so far; returns the node's place if nothing is to come any more.
    pub(super) fn arrived(&mut self, sum: Buffer<E>) -> Option<u32> {
        self.grad = Some(sum);
        self.pending -= 1;
        (self.pending == 0).then_some(self.place)
    }
}

/// Parents and rule together, with their types erased.
pub(crate) trait Recorded<E: Element>: Send + Sync {
    fn parents(&self) -> &[Option<NodeRef<E>>];
    /// `None` for a leaf.
    fn rule(&self) -> Option<&dyn Rule<E>>;
}

impl<E: Element> dyn Recorded<E> + '_ {
    /// Turns the gradient of the output into gradients of the parents.
    pub(super) fn backward(&self, grad: Buffer<E>, pass: &mut Pass<E>) {
        let (parents, Some(rule)) = (self.parents(), self.rule()) else {
            return;
        };
        let mut to = Cotangents {
            parents,
            pass,
            given: 0,
        };
        let wanted = (0..parents.len()).filter(|&i| to.wanted(i)).count();
        if wanted == 0 {
            return;
        }
        to.pass.runs(rule);
        rule.backward(grad, &mut to);
        let given = to.given;
        // A rule that forgets a parent would leave a gradient silently too small.
        assert!(
            given == wanted,
            "the rule of `{}` left out a gradient",
            rule.name()
        );
    }
}

/// Any number of parents: an array of them, or a boxed slice where an operation takes arbitrarily many.
trait ParentList<E: Element>: AsRef<[Option<NodeRef<E>>]> + Send + Sync + 'static {}
impl<E: Element, const N: usize> ParentList<E> for [Option<NodeRef<E>>; N] {}
impl<E: Element> ParentList<E> for Box<[Option<NodeRef<E>>]> {}

struct Operation<E: Element, R, P: ParentList<E>> {
    parents: P,
    rule: R,
    element: PhantomData<fn() -> E>,
}

impl<E: Element, R: Rule<E>, P: ParentList<E>> Recorded<E> for Operation<E, R, P> {
    fn parents(&self) -> &[Option<NodeRef<E>>] {
        self.parents.as_ref()
    }
    fn rule(&self) -> Option<&dyn Rule<E>> {
        Some(&self.rule)
    }
}

/// A parameter, or a tensor made `tracked`: where gradients end up.
struct Leaf;

impl<E: Element> Recorded<E> for Leaf {
    fn parents(&self) -> &[Option<NodeRef<E>>] {
        &[]
    }
    fn rule(&self) -> Option<&dyn Rule<E>> {
        None
    }
}

/// A creation number that no node has, and that is larger than `parent`.
///
/// Each thread takes many at once, since an atomic operation costs as much as all else that is written to a node.
#[inline(always)]
fn new_id(parent: u64) -> u64 {
    const AT_ONCE: u64 = 1 << 10;
    static RESERVED: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        /// The first number and the end of what this thread has reserved.
        static OWN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    }
    let (mut id, mut end) = OWN.get();
    // A parent that came from another thread may be beyond what this one has.
    if id == end || id <= parent {
        id = RESERVED.fetch_add(AT_ONCE, Ordering::Relaxed);
        end = id + AT_ONCE;
    }
    OWN.set((id + 1, end));
    id
}

/// The largest number of a parent.
fn youngest<'a, E: Element>(parents: impl Iterator<Item = Option<&'a NodeRef<E>>>) -> u64 {
    parents.flatten().map(|parent| parent.id).max().unwrap_or(0)
}

#[inline(always)]
fn create<E: Element, T: Recorded<E> + 'static>(
    dims: Dims,
    id: u64,
    leaf: bool,
    recorded: impl FnOnce() -> T,
) -> NodeRef<E> {
    let node = || Node {
        id,
        dims,
        leaf,
        state: OnceLock::new(),
    };
    let slot = || Slot::new(Visit::NONE, recorded());
    Shared::new(node, slot, |slot| slot)
}

impl<E: Element> NodeRef<E> {
    /// Calls `body` with what was recorded; `None` if a backward pass has freed it.
    pub(super) fn recorded<T>(&self, body: impl FnOnce(&dyn Recorded<E>) -> T) -> Option<T> {
        self.tail().read().map(|recorded| body(&*recorded))
    }
}

impl<E: Element> Node<E> {
    pub(crate) fn leaf(dims: Dims) -> NodeRef<E> {
        let node = create(dims, new_id(0), true, || Leaf);
        node.attend().keeps = true;
        node
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn dims(&self) -> Dims {
        self.dims
    }

    pub(crate) fn numel(&self) -> usize {
        self.dims.iter().product()
    }

    /// The state, if there is one: what a backward pass asks, so that most nodes are never locked.
    ///
    /// A poisoned lock is no reason to stop: every write below leaves the state whole.
    pub(super) fn attended(&self) -> Option<MutexGuard<'_, State<E>>> {
        let state = self.state.get()?;
        Some(state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The state, to put something in.
    fn attend(&self) -> MutexGuard<'_, State<E>> {
        let state = self.state.get_or_init(Box::default);
        state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The gradient kept for the user.
    pub(crate) fn grad(&self) -> Option<Buffer<E>> {
        self.attended()?.kept.clone()
    }

    pub(crate) fn set_grad(&self, grad: Option<Buffer<E>>) {
        if grad.is_some() || self.state.get().is_some() {
            self.attend().kept = grad;
        }
    }

    /// The node's hooks, which hold no node.
    pub(super) fn hooks(&self) -> Hooks<E> {
        self.attend().hooks.get_or_insert_default().clone()
    }

    /// Notes who called the operation, if nobody has.
    pub(super) fn set_site(&self, site: impl FnOnce() -> Site) {
        self.attend().site.get_or_insert_with(site);
    }

    /// Who called the operation, if that was noted.
    pub(super) fn site(&self) -> Option<Site> {
        self.attended()?.site.clone()
    }

    pub(crate) fn retain_grad(&self) {
        self.attend().keeps = true;
    }

    /// True for leaves, which have no operation behind them.
    pub(crate) fn is_leaf(&self) -> bool {
        self.leaf
    }
}

/// Parents of a result that is going to be recorded.
pub(crate) struct Parents<E: Element, const N: usize>([Option<NodeRef<E>>; N]);

/// The parents, if an operation on them is to be recorded: recording is on and one of them is tracked.
pub(crate) fn parents<E: Element, const N: usize>(
    nodes: [Option<&NodeRef<E>>; N],
) -> Option<Parents<E, N>> {
    is_recorded(nodes.into_iter()).then(|| Parents(nodes.map(Option::<&_>::cloned)))
}

/// True if an operation on such parents is to be recorded.
pub(crate) fn is_recorded<'a, E: Element>(
    nodes: impl Iterator<Item = Option<&'a NodeRef<E>>> + Clone,
) -> bool {
    if nodes.clone().all(|node| node.is_none()) {
        return false;
    }
    let recording = is_recording();
    if !recording {
        note(nodes);
    }
    recording
}

/// The node of a result with arbitrarily many parents, if it is to be recorded; as [`parents`].
pub(crate) fn record_list<'a, E: Element, R: Rule<E>>(
    nodes: impl Iterator<Item = Option<&'a NodeRef<E>>> + Clone,
    dims: Dims,
    rule: impl FnOnce() -> R,
) -> Option<NodeRef<E>> {
    if !is_recorded(nodes.clone()) {
        return None;
    }
    let id = new_id(youngest(nodes.clone()));
    Some(create(dims, id, false, || Operation {
        parents: nodes.map(Option::<&_>::cloned).collect::<Box<[_]>>(),
        rule: rule(),
        element: PhantomData,
    }))
}

impl<E: Element, const N: usize> Parents<E, N> {
    /// Of an operation that [is to be recorded](is_recorded).
    pub(crate) fn new(nodes: [Option<NodeRef<E>>; N]) -> Self {
        Parents(nodes)
    }

    /// True if parent `i` needs a gradient, so that a rule saves for it.
    pub(crate) fn wanted(&self, i: usize) -> bool {
        self.0[i].is_some()
    }

    /// The node of the result.
    pub(crate) fn record<R: Rule<E>>(self, dims: Dims, rule: R) -> NodeRef<E> {
        self.record_made(dims, || rule)
    }

    /// The node of the result, whose rule is made where it stays.
    ///
    /// For the most frequent operations: a rule that is made and at once moved costs them a tenth of their time, since
    /// the processor waits for its fields to be written before it can read them together.
    #[inline(always)]
    pub(crate) fn record_made<R: Rule<E>>(
        self,
        dims: Dims,
        rule: impl FnOnce() -> R,
    ) -> NodeRef<E> {
        let id = new_id(youngest(self.0.iter().map(Option::as_ref)));
        create(dims, id, false, || Operation {
            parents: self.0,
            rule: rule(),
            element: PhantomData,
        })
    }
}
