//! A node of the graph: one allocation that holds its parents, its rule, and the state of a backward pass.

use super::backward::Pass;
use super::hook::Hooks;
use super::mode::{is_recording, note};
use super::rule::{Cotangents, Rule};
use super::site::Site;
use crate::element::Element;
use crate::shape::Dims;
use crate::storage::{Buffer, Slot};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError, TryLockResult};

/// A shared node.
pub(crate) type NodeRef<E> = Arc<Node<E>>;

/// One tensor of the graph: a leaf, or the result of an operation.
pub(crate) struct Node<E: Element, T: Recorded<E> + ?Sized = dyn Recorded<E>> {
    /// Creation number. Parents are older than their children, so locking from larger to smaller
    /// numbers never deadlocks.
    id: u64,
    dims: Dims,
    /// Where gradients end up: no operation stands behind it.
    leaf: bool,
    state: Mutex<State<E>>,
    /// Empty once a backward pass has freed it. Nobody ever waits for this lock: passes that share a graph
    /// only read it, and a pass that frees the graph has it to itself.
    recorded: RwLock<Slot<T>>,
}

/// What changes in the life of a node.
///
/// Its lock is never held while a kernel runs on several threads: a thread that waits for the others may
/// be handed another backward pass meanwhile, which would wait for the lock forever.
pub(super) struct State<E: Element> {
    pub(super) visit: Visit<E>,
    /// Gradients are kept here for the user: always on leaves, on others after `retain_grad`.
    pub(super) keeps: bool,
    pub(super) kept: Option<Buffer<E>>,
    /// Called when the gradient is complete; most nodes have none.
    pub(super) hooks: Option<Box<Hooks<E>>>,
}

/// A backward pass's notes on a node.
pub(super) struct Visit<E: Element> {
    /// The pass that the notes belong to; 0 if none.
    pub(super) pass: u64,
    /// Where the pass keeps the node.
    pub(super) place: usize,
    /// Edges from children whose gradient has not arrived yet.
    pub(super) pending: usize,
    /// The sum of what has arrived.
    pub(super) grad: Option<Buffer<E>>,
}

impl<E: Element> Visit<E> {
    pub(super) const NONE: Self = Visit {
        pass: 0,
        place: 0,
        pending: 0,
        grad: None,
    };

    /// Notes that a gradient came, and the sum so far; returns the node's place if nothing is to come any more.
    pub(super) fn arrived(&mut self, sum: Buffer<E>) -> Option<usize> {
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
trait ParentList<E: Element>:
    AsRef<[Option<NodeRef<E>>]> + AsMut<[Option<NodeRef<E>>]> + Send + Sync + 'static
{
}
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

impl<E: Element, R, P: ParentList<E>> Drop for Operation<E, R, P> {
    fn drop(&mut self) {
        release_all(self.parents.as_mut());
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

fn release_all<E: Element>(parents: &mut [Option<NodeRef<E>>]) {
    for parent in parents {
        if let Some(parent) = parent.take() {
            release(parent);
        }
    }
}

/// Drops a node without recursion, however long the chain behind it is.
///
/// The drop of the first node runs here; the parents it lets go land in the thread's list instead of
/// on the stack.
fn release<E: Element>(node: NodeRef<E>) {
    type Waiting = ManuallyDrop<RefCell<Option<Vec<Box<dyn Send>>>>>;
    thread_local! {
        // Without a destructor, so that it is there for graphs that other thread-locals hold to the
        // end. It is `None` whenever no drop is under way, so nothing leaks.
        static WAITING: Waiting = const { ManuallyDrop::new(RefCell::new(None)) };
    }
    // A node with other owners, as parameters are, goes nowhere.
    if Arc::strong_count(&node) > 1 {
        return drop(node);
    }
    let mut node = Some(node);
    let outermost = WAITING.with(|waiting| match &mut *waiting.borrow_mut() {
        Some(list) => {
            list.extend(node.take().map(|node| Box::new(node) as Box<dyn Send>));
            false
        }
        none => {
            *none = Some(Vec::new());
            true
        }
    });
    drop(node);
    if outermost {
        while let Some(next) =
            WAITING.with(|waiting| waiting.borrow_mut().as_mut().and_then(Vec::pop))
        {
            drop(next);
        }
        WAITING.with(|waiting| *waiting.borrow_mut() = None);
    }
}

impl<E: Element, T: Recorded<E>> Node<E, T> {
    fn create(dims: Dims, leaf: bool, recorded: T) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Arc::new(Node {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            dims,
            leaf,
            state: Mutex::new(State {
                visit: Visit::NONE,
                keeps: leaf,
                kept: None,
                hooks: None,
            }),
            recorded: RwLock::new(Slot::new(recorded)),
        })
    }
}

impl<E: Element> Node<E> {
    pub(crate) fn leaf(dims: Dims) -> NodeRef<E> {
        Node::create(dims, true, Leaf)
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

    /// A poisoned lock is no reason to stop: every write below leaves the state whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `body` with what was recorded, and drops that afterwards if `free` and nobody else is reading
    /// it. `None` if it was freed before, or is being freed by another thread.
    pub(super) fn recorded<T>(
        &self,
        free: bool,
        body: impl FnOnce(&dyn Recorded<E>) -> T,
    ) -> Option<T> {
        fn taken<T>(lock: TryLockResult<T>) -> Option<T> {
            match lock {
                Ok(guard) => Some(guard),
                Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            }
        }
        if free && let Some(mut slot) = taken(self.recorded.try_write()) {
            let result = slot.get().map(body);
            slot.empty();
            return result;
        }
        taken(self.recorded.try_read())?.get().map(body)
    }

    /// The gradient kept for the user.
    pub(crate) fn grad(&self) -> Option<Buffer<E>> {
        self.lock().kept.clone()
    }

    pub(crate) fn set_grad(&self, grad: Option<Buffer<E>>) {
        self.lock().kept = grad;
    }

    /// Calls `edit` with the node's hooks.
    pub(super) fn hooks<T>(&self, edit: impl FnOnce(&mut Hooks<E>) -> T) -> T {
        let mut state = self.lock();
        edit(state.hooks.get_or_insert_with(|| Box::new(Hooks::NONE)))
    }

    /// Notes who called the operation, if nobody has.
    pub(super) fn set_site(&self, site: impl FnOnce() -> Site) {
        self.hooks(|hooks| {
            hooks.site.get_or_insert_with(site);
        });
    }

    /// Who called the operation, if that was noted.
    pub(super) fn site(&self) -> Option<Site> {
        self.lock().hooks.as_ref()?.site.clone()
    }

    pub(crate) fn retain_grad(&self) {
        self.lock().keeps = true;
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
    if nodes.iter().all(Option::is_none) {
        return None;
    }
    if !is_recording() {
        note(nodes.into_iter());
        return None;
    }
    Some(Parents(nodes.map(|node| node.cloned())))
}

/// The node of a result with arbitrarily many parents, if it is to be recorded; as [`parents`].
pub(crate) fn record_list<'a, E: Element, R: Rule<E>>(
    nodes: impl Iterator<Item = Option<&'a NodeRef<E>>> + Clone,
    dims: Dims,
    rule: impl FnOnce() -> R,
) -> Option<NodeRef<E>> {
    if nodes.clone().all(|node| node.is_none()) {
        return None;
    }
    if !is_recording() {
        note(nodes);
        return None;
    }
    let operation = Operation {
        parents: nodes.map(Option::<&_>::cloned).collect::<Box<[_]>>(),
        rule: rule(),
        element: PhantomData,
    };
    Some(Node::create(dims, false, operation))
}

impl<E: Element, const N: usize> Parents<E, N> {
    /// True if parent `i` needs a gradient, so that a rule saves for it.
    pub(crate) fn wanted(&self, i: usize) -> bool {
        self.0[i].is_some()
    }

    /// The node of the result.
    pub(crate) fn record<R: Rule<E>>(self, dims: Dims, rule: R) -> NodeRef<E> {
        Node::create(
            dims,
            false,
            Operation {
                parents: self.0,
                rule,
                element: PhantomData,
            },
        )
    }
}
