//! Whether operations are recorded: a switch of each thread, restored also when a panic unwinds.

use std::cell::Cell;

thread_local! {
    static RECORDING: Cell<bool> = const { Cell::new(true) };
}

/// True if operations on tracked tensors are recorded on this thread.
///
/// ```
/// use shapeproof::graph::{is_recording, no_grad};
/// assert!(is_recording());
/// assert!(!no_grad(is_recording));
/// ```
pub fn is_recording() -> bool {
    RECORDING.with(Cell::get)
}

/// Runs `body` without recording: its results are plain data with no path back to any parameter.
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

/// Runs `body` with recording on, inside [`no_grad`] too.
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
