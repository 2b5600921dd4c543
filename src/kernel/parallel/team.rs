//! Work that the calling thread begins at once, and that idle threads of rayon's pool join.
//!
//! The caller does not wait for a thread to wake, which takes as long as small work does: whoever comes too late finds
//! nothing left to do. Who has helped stays awake for a while, and begins with the next work at once.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, Thread};

/// Of `helpers`: the caller has left.
const CLOSED: usize = 1 << (usize::BITS - 1);
/// How often a caller looks whether the others are done before it sleeps: some 50 µs, as long as waking takes.
const LOOKS: usize = 1000;
/// How often a helper that is done looks for more work before it goes back to its pool: some 100 µs, as long as most
/// of what lies between two large works of a training step.
const WAIT: usize = 2000;
/// After so many looks, whoever else has something to do on this processor comes first.
const YIELD: usize = 32;
/// After so many works in a row a helper goes back too, for its pool may have other tasks.
const IN_A_ROW: usize = 100;

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
    for _ in Seat::call(&team, threads - 1)..threads - 1 {
        let team = team.clone();
        rayon_core::spawn(move || Team::help(team));
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

    /// Works beside the caller, and then beside the callers of the works that follow soon.
    fn help(mut team: Arc<Team>) {
        for number in 1.. {
            let worked = team.join();
            // Before the caller can go on: then its next work finds this helper waiting.
            let seat = (worked && number < IN_A_ROW).then(Seat::take);
            team.part();
            match seat.and_then(|seat| seat.wait()) {
                Some(next) => team = next,
                None => return,
            }
        }
    }

    /// Works beside the caller, unless it has left: then there was nothing to do.
    fn join(&self) -> bool {
        // Acquire and release order what threads write before what the caller reads.
        let in_time = self.helpers.fetch_add(1, Ordering::Acquire) & CLOSED == 0;
        if in_time {
            let from_end = || self.count - 1 - self.from_end.fetch_add(1, Ordering::Relaxed);
            self.work(from_end);
        }
        in_time
    }

    /// What follows every `join`.
    fn part(&self) {
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

/// Where a helper that waits finds its next work.
struct Seat(OnceLock<Arc<Team>>);

/// The seats of all helpers that wait and are not called yet.
static WAITING: Mutex<Vec<Arc<Seat>>> = Mutex::new(Vec::new());

impl Seat {
    fn waiting() -> MutexGuard<'static, Vec<Arc<Seat>>> {
        WAITING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take() -> Arc<Seat> {
        let seat = Arc::new(Seat(OnceLock::new()));
        Self::waiting().push(seat.clone());
        seat
    }

    /// Calls up to `most` of those who wait to a team: how many.
    fn call(team: &Arc<Team>, most: usize) -> usize {
        let mut waiting = Self::waiting();
        let others = waiting.len().saturating_sub(most);
        let called = waiting.drain(others..);
        let count = called.len();
        for seat in called {
            // Nobody else has set it: only those who are not called yet are in the list.
            let _ = seat.0.set(team.clone());
        }
        count
    }

    /// The team that the helper is called to, if that is soon.
    fn wait(&self) -> Option<Arc<Team>> {
        for look in 1..=WAIT {
            if let Some(team) = self.0.get() {
                return Some(team.clone());
            }
            if look % YIELD == 0 {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        Self::waiting().retain(|seat| !std::ptr::eq(&**seat, self));
        // Who was called in the last moment must come, since the caller counts on it.
        self.0.get().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

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
                    thread::sleep(Duration::from_millis(20));
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
            assert_eq!(done.into_inner(), 2);
        }
    }

    #[test]
    fn callers_share_helpers() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let sum = AtomicUsize::new(0);
                        for_each(10, 3, &|i| {
                            sum.fetch_add(i, Ordering::Relaxed);
                        });
                        assert_eq!(sum.into_inner(), 45);
                    }
                });
            }
        });
    }

    /// A helper that always found more work would leave its pool's other tasks undone.
    #[test]
    fn other_tasks_have_their_turn() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        pool.install(|| {
            let done = Arc::new(AtomicUsize::new(0));
            let here = done.clone();
            for_each(2, 2, &|_| thread::sleep(Duration::from_millis(10)));
            rayon_core::spawn(move || here.store(1, Ordering::Relaxed));
            let start = Instant::now();
            while done.load(Ordering::Relaxed) == 0 {
                assert!(start.elapsed() < Duration::from_secs(60));
                for_each(2, 2, &|_| thread::sleep(Duration::from_micros(100)));
            }
        });
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
                    thread::sleep(Duration::from_millis(1));
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
