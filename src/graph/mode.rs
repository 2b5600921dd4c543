//! Whether operations are recorded: a switch of each thread, restored also when a panic unwinds.

use super::node::NodeRef;
use crate::element::Element;
use std::any::Any;
use std::cell::{Cell, RefCell};

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(true) };
    /// Where operations would be recorded, the tracked operands that they meet, while somebody watches for them.
    static WATCH: RefCell<Option<Vec<Box<dyn Any>>>> = const { RefCell::new(None) };
    /// Whether somebody does: what decides in the common case, without a borrow.
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    /// The backward passes that are under way, the innermost last.
    static PASSES: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// True if operations on tracked tensors are recorded on this thread.
///
/// ```
/// use shapeproof::graph::{is_recording, no_grad};
/// assert!(is_recording());
/// assert!(!no_grad(is_recording));
/// ```
pub fn is_recording() -> bool {
    RECORDING.with(Cell::get) && !WATCHING.with(Cell::get)
}

/// Notes tracked operands of an operation that is not recorded, where [`watching`] asks for them.
#[cold]
pub(super) fn note<'a, E: Element>(nodes: impl Iterator<Item = Option<&'a NodeRef<E>>>) {
    if RECORDING.with(Cell::get) && WATCHING.with(Cell::get) {
        WATCH.with(|watch| {
            if let Some(met) = &mut *watch.borrow_mut() {
                met.extend(
                    nodes
                        .flatten()
                        .map(|node| Box::new(node.clone()) as Box<dyn Any>),
                );
            }
        });
    }
}

/// Runs `body` without recording; returns also the tracked operands that would have been recorded, each once.
pub(crate) fn watching<T, E: Element>(body: impl FnOnce() -> T) -> (T, Vec<NodeRef<E>>) {
    /// Puts back what was watched for before.
    struct Restore(Option<Vec<Box<dyn Any>>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCHING.with(|watching| watching.set(self.0.is_some()));
            WATCH.with(|watch| watch.replace(self.0.take()));
        }
    }
    let restore = Restore(WATCH.with(|watch| watch.replace(Some(Vec::new()))));
    WATCHING.with(|watching| watching.set(true));
    let result = body();
    let met = WATCH.with(RefCell::take).unwrap_or_default();
    drop(restore);
    let mut nodes: Vec<NodeRef<E>> = Vec::new();
    for node in met
        .into_iter()
        .filter_map(|node| node.downcast::<NodeRef<E>>().ok())
    {
        if nodes.iter().all(|other| other.id() != node.id()) {
            nodes.push(*node);
        }
    }
    (result, nodes)
}

/// Runs `body` with recording on, whatever anybody watches for.
pub(crate) fn recording<T>(body: impl FnOnce() -> T) -> T {
    /// Puts the former mode back when it goes out of scope.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCHING.with(|watching| watching.set(self.0));
        }
    }
    let _restore = Restore(WATCHING.with(|watching| watching.replace(false)));
    enable_grad(body)
}

/// Runs `body` as the backward pass of this number.
pub(super) fn passing<T>(pass: u64, body: impl FnOnce() -> T) -> T {
    /// Takes the pass out when it ends.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            PASSES.with(|passes| passes.borrow_mut().pop());
        }
    }
    PASSES.with(|passes| passes.borrow_mut().push(pass));
    let _end = End;
    body()
}

/// Calls `look` with the numbers of the backward passes that are under way on this thread, the innermost last.
pub(crate) fn pass_under_way<T>(look: impl FnOnce(&[u64]) -> T) -> T {
    PASSES.with(|passes| look(&passes.borrow()))
}

/// Runs `body` without recording: its results are plain data with no path back to any parameter. PyTorch: `no_grad`.
///
/// The switch belongs to the calling thread; other threads, also those that `body` starts, keep
/// their own. Calls nest with [`enable_grad`]. The former mode returns when `body` ends, be it by a
/// panic.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let w = Param::<1, shape![2]>::ones();
/// let metric = no_grad(|| w.square().sum());
/// assert!(!metric.is_tracked());
/// assert!(w.square().sum().is_tracked());
/// ```
pub fn no_grad<T>(body: impl FnOnce() -> T) -> T {
    with(false, body)
}

/// Runs `body` with recording on, inside `no_grad` too. PyTorch: `enable_grad`.
pub fn enable_grad<T>(body: impl FnOnce() -> T) -> T {
    with(true, body)
}

fn with<T>(recording: bool, body: impl FnOnce() -> T) -> T {
    /// Puts the former mode back when it goes out of scope.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            RECORDING.with(|mode| mode.set(self.0));
        }
    }
    let _restore = Restore(RECORDING.with(|mode| mode.replace(recording)));
    body()
}
