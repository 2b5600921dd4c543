//! Work that the calling thread begins at once, and that idle threads of rayon's pool join.
//!
//! The caller does not wait for a thread to wake, which takes as long as small work does: whoever comes too late finds
//! nothing left to do.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

/// Of `helpers`: the caller has left.
const CLOSED: usize = 1 << (usize::BITS - 1);
/// How often a caller looks whether the others are done before it sleeps: some 50 µs, as long as waking takes.
const LOOKS: usize = 1000;

type Body = dyn Fn(usize) + Sync;

struct Team {
    /// Valid until the caller has left.
    body: *const Body,
    count: usize,
    /// How many numbers were taken; and how many of them by helpers, from the last one on.
    taken: AtomicUsize,
    from_end: AtomicUsize,
    /// How many threads beside the caller's are at work; and [`CLOSED`].
    helpers: AtomicUsize,
    caller: Thread,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: what the pointer leads to is `Sync`, and is there as long as it is looked at (`help`).
unsafe impl Send for Team {}
// SAFETY: as above.
unsafe impl Sync for Team {}

/// Runs `body` for `0..count`, each once, on up to `threads` threads. A panic of any of them is the caller's.
pub(super) fn for_each(count: usize, threads: usize, body: &(dyn Fn(usize) + Sync)) {
    let team = Arc::new(Team {
        // SAFETY: only the lifetime is forgotten; nobody uses the pointer after `leave`.
        body: unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const Body>(body)
        },
        count,
        taken: AtomicUsize::new(0),
        from_end: AtomicUsize::new(0),
        helpers: AtomicUsize::new(0),
        caller: thread::current(),
        panic: Mutex::new(None),
    });
    for _ in 1..threads {
        let team = team.clone();
        rayon_core::spawn(move || team.help());
    }
    let mut from_start = 0..;
    team.work(|| from_start.next().expect("numbers do not end"));
    team.leave();
    let panic = team
        .panic
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

impl Team {
    /// Works on the `next` number until none is left. A panic is kept for the caller, and ends the work.
    ///
    /// The caller begins with the first numbers and helpers with the last, so that work that is done again finds
    /// much of what it needs in the caches of the same processors.
    fn work(&self, mut next: impl FnMut() -> usize) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the caller has not left: it does so after its own `work`, and waits for those in `help`.
            let body = unsafe { &*self.body };
            while self.taken.fetch_add(1, Ordering::Relaxed) < self.count {
                body(next());
            }
        }));
        if let Err(panic) = result {
            self.taken.store(self.count, Ordering::Relaxed);
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
        }
    }

    /// Works beside the caller, unless it has left.
    fn help(&self) {
        // Acquire and release order what threads write before what the caller reads.
        if self.helpers.fetch_add(1, Ordering::Acquire) & CLOSED == 0 {
            let from_end = || self.count - 1 - self.from_end.fetch_add(1, Ordering::Relaxed);
            self.work(from_end);
        }
        if self.helpers.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            self.caller.unpark();
        }
    }

    /// Returns when nobody is at work any more, nor will be.
    fn leave(&self) {
        let mut looks = 0;
        let mut helpers = self.helpers.fetch_or(CLOSED, Ordering::Acquire) | CLOSED;
        while helpers != CLOSED {
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                thread::park();
            }
            helpers = self.helpers.load(Ordering::Acquire);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_runs_once() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        let run = |threads| {
            for count in [2, 3, 7, 100] {
                for _ in 0..200 {
                    let runs: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    for_each(count, threads, &|i| {
                        runs[i].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(runs.into_iter().all(|runs| runs.into_inner() == 1));
                }
            }
        };
        run(2);
        run(5);
        pool.install(|| run(3));
    }

    /// Two numbers that run at the same time, of which one takes longer: the caller's, or the other.
    #[test]
    fn the_caller_waits_for_the_others() {
        let caller = thread::current().id();
        for slow_here in [true, false] {
            let (begun, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
            for_each(2, 2, &|_| {
                begun.fetch_add(1, Ordering::Relaxed);
                while begun.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
                if slow_here == (thread::current().id() == caller) {
                    thread::sleep(std::time::Duration::from_millis(20));
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(done.into_inner(), 2);
        }
    }

    #[test]
    fn teams_work_inside_teams() {
        let done = AtomicUsize::new(0);
        for_each(8, 4, &|_| {
            for_each(8, 4, &|_| {
                done.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(done.into_inner(), 64);
    }

    #[test]
    fn a_panic_anywhere_is_the_callers() {
        for bad in 0..4 {
            let result = catch_unwind(|| {
                for_each(4, 2, &|i| {
                    thread::sleep(std::time::Duration::from_millis(1));
                    assert!(i != bad, "number {i}");
                });
            });
            let message = result.unwrap_err();
            assert_eq!(
                message.downcast_ref::<String>(),
                Some(&format!("number {bad}"))
            );
        }
        for_each(4, 2, &|_| {});
    }
}
