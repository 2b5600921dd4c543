//! Where memory comes from: buffers that are reused, allocations that do not happen, figures that stay flat.

use shapeproof::memory::{self, Stats};
use shapeproof::nn::Tanh;
use shapeproof::optim::AdamConfig;
use shapeproof::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The system's allocator, counting what each thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<isize> = const { Cell::new(0) };
}

// SAFETY: all calls are passed on unchanged; the counters are plain numbers without destructors.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE_BYTES.set(LIVE_BYTES.get() + layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE_BYTES.set(LIVE_BYTES.get() + layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE_BYTES.set(LIVE_BYTES.get() - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Runs one test at a time, because the library's figures are everybody's, in a thread of its own that
/// starts with no buffers and has given its own back when the next test starts.
fn alone(body: impl FnOnce() + Send + 'static) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    memory::empty_cache();
    let outcome = thread::spawn(body).join();
    memory::empty_cache();
    outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// How often `body` asks the allocator for memory, after a first run that fills the cache.
fn allocations<T>(mut body: impl FnMut() -> T) -> usize {
    body();
    let before = ALLOCATIONS.get();
    body();
    ALLOCATIONS.get() - before
}

/// How often the library takes a buffer from the system in `body`.
fn taken<T>(body: impl FnOnce() -> T) -> u64 {
    let before = memory::stats().system_allocations;
    body();
    memory::stats().system_allocations - before
}

type Mlp = (Linear<16, 32>, Tanh, Linear<32, 4>);

fn training() -> impl FnMut() {
    let rng = &mut Rng::seed(0);
    let mut model: Mlp = (Linear::new(rng), Tanh, Linear::new(rng));
    let mut adam = Adam::new(&model, AdamConfig::default());
    let x = Tensor::<2, shape![8, 16]>::randn(rng);
    let labels = Indices::<1, shape![8], 4>::from_array([0, 1, 2, 3, 0, 1, 2, 3]).unwrap();
    move || {
        model.zero_grad();
        model.forward(&x).cross_entropy(&labels).backward();
        adam.step(&mut model);
    }
}

#[test]
fn training_takes_no_buffer_after_its_second_step() {
    alone(|| {
        let mut step = training();
        step();
        step();
        let settled = memory::stats();
        assert_eq!(taken(|| (0..50).for_each(|_| step())), 0);
        assert_eq!(memory::stats(), settled);
        let each = allocations(&mut step);
        assert_eq!(allocations(&mut step), each);

        // Buffers above 64 KiB, which threads share.
        let rng = &mut Rng::seed(0);
        let mut model: Linear<200, 200> = Linear::new(rng);
        let mut adam = Adam::new(&model, AdamConfig::default());
        let x = Tensor::<2, shape![100, 200]>::randn(rng);
        let mut step = || {
            model.zero_grad();
            model.forward(&x).square().mean().backward();
            adam.step(&mut model);
        };
        step();
        step();
        assert_eq!(taken(|| (0..3).for_each(|_| step())), 0);
    });
}

#[test]
fn figures_stay_flat_over_ten_thousand_steps() {
    alone(|| {
        let mut step = training();
        (0..3).for_each(|_| step());
        let (stats, live) = (memory::stats(), LIVE_BYTES.get());
        for i in 0..10_000 {
            step();
            // Each step gives back all it took: no cycle keeps a graph alive.
            assert_eq!(LIVE_BYTES.get(), live, "step {i}");
        }
        assert_eq!(memory::stats(), stats);
    });
}

#[test]
fn gradients_that_are_kept_and_graphs_that_are_not_used_leak_nothing() {
    alone(|| {
        let w = Param::<1, shape![100]>::ones();
        let round = || {
            let y = w.exp();
            y.retain_grad();
            let loss = (&y * &w).sum();
            loss.backward_retaining();
            loss.backward();
            // Never sent back.
            let unused = (&y.detach() * &w).tanh().mean();
            assert!(unused.is_tracked());
            w.zero_grad();
        };
        round();
        let live = LIVE_BYTES.get();
        for _ in 0..1000 {
            round();
            assert_eq!(LIVE_BYTES.get(), live);
        }
    });
}

#[test]
fn an_operand_given_away_lends_its_memory() {
    alone(|| {
        type Row = Tensor<1, shape![64]>;
        let place = |x: &Row| x.as_slice().as_ptr();
        let reuses = |operation: &dyn Fn(Row) -> Row| {
            let x = Row::ones();
            let before = place(&x);
            place(&operation(x)) == before
        };
        let other = Row::full(2.0);
        assert!(reuses(&|x| x + &other));
        assert!(reuses(&|x| &other - x));
        assert!(reuses(&|x| x * other.clone()));
        assert!(reuses(&|x| x / 2.0));
        assert!(reuses(&|x| 2.0 - x));
        assert!(reuses(&|x| -x));
        assert!(reuses(&|x| x + Tensor::scalar(1.0)));
        assert!(reuses(&|x| Tensor::scalar(1.0) * x));
        assert!(reuses(&|mut x| {
            x += &other;
            x *= 3.0;
            x
        }));
        assert!(reuses(&|x| x
            .reshape::<shape![8, 8]>()
            .reshape::<shape![64]>()));
        // Not where somebody else holds it, or where the result is larger.
        assert!(!reuses(&|x| x.clone() + &other));
        assert!(!reuses(&|x| &x + &other));
        let both = Row::ones();
        let copy = both.clone();
        let before = place(&both);
        assert_ne!(place(&(both + 1.0)), before);
        assert_eq!(copy, Row::ones());
        let row = Tensor::<2, shape![1, 4]>::ones();
        let before = row.as_slice().as_ptr();
        let sum = row + Tensor::<2, shape![4, 1]>::ones();
        assert_ne!(sum.as_slice().as_ptr(), before);

        // Recorded: what backward needs stays, what it does not is reused.
        let x = Row::ones().tracked();
        let product = &x * 2.0;
        let before = place(&product);
        assert_eq!(place(&(product + 1.0)), before);
        let exp = x.exp();
        let before = place(&exp);
        assert_ne!(place(&(exp + 1.0)), before);
    });
}

#[test]
fn an_operation_on_inputs_allocates_nothing() {
    alone(|| {
        let a = Tensor::<2, shape![8, 8]>::ones();
        let b = Tensor::<2, shape![8, 8]>::full(2.0);
        let row = Tensor::<1, shape![8]>::ones();
        let column = Tensor::<2, shape![8, 1]>::ones();
        let labels = Indices::<1, shape![8], 8>::from_array([0; 8]).unwrap();
        let mask = a.lt(&b);
        let counts = [
            ("add", allocations(|| &a + &b)),
            ("mul by row", allocations(|| &a * &row)),
            ("column and row", allocations(|| &column - &row)),
            ("by value", allocations(|| (&a + 1.0) * &b - 3.0)),
            ("number", allocations(|| 1.0 / &a)),
            ("exp", allocations(|| a.exp())),
            ("gelu", allocations(|| a.gelu())),
            ("sum", allocations(|| a.sum())),
            ("sum_axis", allocations(|| a.sum_axis::<0>())),
            ("mean_keepdim", allocations(|| a.mean_keepdim::<1>())),
            ("var", allocations(|| a.var_axis::<1>(1))),
            ("max", allocations(|| a.max())),
            ("argmax", allocations(|| a.argmax_axis::<1>())),
            ("softmax", allocations(|| a.softmax::<0>())),
            ("logsumexp", allocations(|| a.logsumexp())),
            ("cross_entropy", allocations(|| a.cross_entropy(&labels))),
            ("mse", allocations(|| a.mse(&b))),
            ("gt", allocations(|| a.gt(&b))),
            ("select", allocations(|| mask.select(&a, &b))),
            ("embedding", allocations(|| a.embedding(&labels))),
            ("reshape", allocations(|| a.reshape::<shape![64]>())),
            ("clone", allocations(|| a.clone())),
            ("detach", allocations(|| a.detach())),
            ("zeros", allocations(Tensor::<2, shape![8, 8]>::zeros)),
            ("no_grad", allocations(|| no_grad(|| &a + &b))),
        ];
        let allocating: Vec<_> = counts.iter().filter(|(_, count)| *count > 0).collect();
        assert!(allocating.is_empty(), "{allocating:?}");
    });
}

#[test]
fn a_recorded_operation_allocates_nothing() {
    alone(|| {
        let a = Tensor::<2, shape![8, 8]>::ones().tracked();
        let b = Tensor::<2, shape![8, 8]>::full(2.0);
        let counts = [
            ("add", allocations(|| &a + &b)),
            ("mul", allocations(|| &a * &b)),
            ("exp", allocations(|| a.exp())),
            ("sum", allocations(|| a.sum())),
            ("softmax", allocations(|| a.softmax::<1>())),
            ("mse", allocations(|| a.mse(&b))),
            ("max", allocations(|| a.max_axis::<0>())),
        ];
        let allocating: Vec<_> = counts.iter().filter(|(_, count)| *count > 0).collect();
        assert!(allocating.is_empty(), "{allocating:?}");
        // A leaf has a place for its gradient.
        assert_eq!(allocations(|| b.clone().tracked()), 1);
        assert_eq!(allocations(|| no_grad(|| &a * &b)), 0);
        assert_eq!(allocations(|| a.detach().exp()), 0);
    });
}

#[test]
fn a_pass_allocates_in_proportion_to_the_graph() {
    alone(|| {
        let x = Tensor::<0, ()>::ones().tracked();
        let count = |length: usize| {
            let mut y = x.clone();
            for _ in 0..length {
                y = &y * &x + &y * 0.5;
            }
            y.backward_retaining();
            let before = ALLOCATIONS.get();
            y.backward_retaining();
            ALLOCATIONS.get() - before
        };
        let (short, long) = (count(1000), count(4000));
        // Lists that double as they grow, and nothing for a node.
        assert!(short < 100 && long <= short + 10, "{short} and {long}");
    });
}

#[test]
fn what_was_saved_is_freed_as_backward_goes() {
    alone(|| {
        const STEPS: usize = 40;
        type Large = Tensor<1, shape![20_000]>;
        // Every step saves a buffer, and keeps a gradient on the way back: the gradients lie where saved
        // values lay before.
        let forward = |x: &Large| {
            let mut y = x.clone();
            for _ in 0..STEPS {
                y = y.sin();
                y.retain_grad();
            }
            y.sum()
        };
        let x = Large::ones().tracked();
        let loss = forward(&x);
        let going = taken(|| loss.backward());
        assert!(going <= 3, "{going}");
        drop(loss);

        memory::empty_cache();
        let loss = forward(&x);
        let retaining = taken(|| loss.backward_retaining());
        assert!(retaining >= STEPS as u64, "{retaining}");
    });
}

#[test]
fn a_graph_that_backward_freed_holds_no_values() {
    alone(|| {
        let x = Tensor::<1, shape![20_000]>::ones().tracked();
        let loss = x.exp().exp().exp().sum();
        let before = memory::stats().cached_bytes;
        loss.backward();
        let freed = memory::stats().cached_bytes - before;
        assert!(freed >= 2 * 80_000, "{freed}");
    });
}

#[test]
fn the_cache_is_emptied_and_bounded() {
    alone(|| {
        type Large = Tensor<1, shape![131_072]>; // 512 KiB: several share what is asked of the system
        let (empty, live) = (memory::stats(), LIVE_BYTES.get());
        assert_eq!(empty.cached_bytes, 0);
        let tensors: Vec<_> = (0..8).map(|_| Large::zeros()).collect();
        let full = memory::stats();
        let bytes = full.reserved_bytes - empty.reserved_bytes;
        assert!(
            (8 << 19..(8 << 19) * 5 / 4 + 1000).contains(&bytes),
            "{bytes}"
        );
        drop(tensors);
        let freed = memory::stats();
        assert_eq!(freed.reserved_bytes, full.reserved_bytes);
        assert!(freed.cached_bytes >= 8 << 19);
        assert_eq!(
            taken(|| (0..8).map(|_| Large::zeros()).collect::<Vec<_>>()),
            0
        );
        memory::empty_cache();
        let after = memory::stats();
        assert_eq!(
            (after.cached_bytes, after.reserved_bytes),
            (0, empty.reserved_bytes)
        );
        assert_eq!(LIVE_BYTES.get(), live);

        // A bound of two of them. Setting it gives back what is above it.
        drop((0..8).map(|_| Large::zeros()).collect::<Vec<_>>());
        let limit = (2 << 19) + (1 << 18);
        memory::set_cache_limit(limit);
        assert!(memory::stats().cached_bytes <= limit);
        drop((0..8).map(|_| Large::zeros()).collect::<Vec<_>>());
        let bounded = memory::stats();
        assert!(bounded.cached_bytes <= limit && bounded.cached_bytes >= 2 << 19);
        assert!(bounded.reserved_bytes - empty.reserved_bytes <= limit + 1000);

        memory::set_cache_limit(0);
        drop(Large::zeros());
        assert_eq!(memory::stats().reserved_bytes, empty.reserved_bytes);
        assert_eq!(taken(|| drop(Large::zeros())), 1);
        // Small ones are of each thread, and stay.
        drop(Tensor::<1, shape![10]>::zeros());
        assert_eq!(taken(|| drop(Tensor::<1, shape![10]>::zeros())), 0);
        memory::set_cache_limit(1 << 30);
        memory::empty_cache();
    });
}

#[test]
fn a_thread_gives_its_buffers_back_when_it_ends() {
    alone(|| {
        let Stats { reserved_bytes, .. } = memory::stats();
        thread::spawn(|| {
            let rows: Vec<_> = (0..100)
                .map(|_| Tensor::<1, shape![1000]>::ones())
                .collect();
            drop(rows);
            assert!(memory::stats().cached_bytes >= 100 * 4000);
        })
        .join()
        .unwrap();
        assert_eq!(memory::stats().reserved_bytes, reserved_bytes);
        // Made there, dropped here: kept for everybody, up to a bound, but for what is kept here.
        let make = || {
            (0..5000)
                .map(|_| Tensor::<1, shape![1000]>::ones())
                .collect::<Vec<_>>()
        };
        memory::set_cache_limit(8 << 20);
        drop(thread::spawn(make).join().unwrap());
        let bounded = memory::stats();
        assert!(bounded.cached_bytes <= (8 << 20) + (2 << 20));
        assert!(bounded.reserved_bytes - reserved_bytes <= (8 << 20) + (2 << 20));
        memory::set_cache_limit(1 << 30);
        drop(thread::spawn(make).join().unwrap());
        assert!(memory::stats().cached_bytes >= 5000 * 4000);
        let before = memory::stats().system_allocations;
        let made = thread::spawn(make).join().unwrap();
        assert!(memory::stats().system_allocations - before <= (1 << 20) / 4000 + 1);
        drop(made);
        memory::empty_cache();
        assert_eq!(memory::stats().reserved_bytes, reserved_bytes);
    });
}
