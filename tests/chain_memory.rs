//! The memory of long chains and of long training, as the allocator sees it.

use shapeproof::memory;
use shapeproof::nn::{Dropout, Relu};
use shapeproof::optim::AdamConfig;
use shapeproof::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

/// The system's allocator, counting for each thread the bytes in use and the most there have been.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: all calls are passed on unchanged; the counters are plain numbers without destructors.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Runs one test at a time, on one thread, where no large buffer waits for the next tensor: what is not used is given
/// back.
fn alone(body: impl FnOnce() + Send) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    memory::set_cache_limit(0);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1);
    threads.build().unwrap().install(body);
}

/// The most bytes in use at once while `body` runs, beyond those in use before.
fn peak<T>(body: impl FnOnce() -> T) -> isize {
    let before = LIVE.get();
    PEAK.set(before);
    drop(body());
    PEAK.get() - before
}

const LAYERS: usize = 200;
const ROWS: usize = 512;
/// Products of 512 × 512 numbers would take minutes without optimisation.
const COLUMNS: usize = if cfg!(debug_assertions) { 64 } else { 512 };
/// Bytes of an activation.
const BUFFER: isize = (4 * ROWS * COLUMNS) as isize;
/// What a product takes for itself beside its result, to arrange its operands.
const PRODUCT: isize = BUFFER;
type Activation = Tensor<2, shape![ROWS, COLUMNS]>;
type Weight = Tensor<2, shape![COLUMNS, COLUMNS]>;

#[test]
fn a_long_chain_takes_its_activations_and_gives_them_back_on_the_way() {
    alone(|| {
        const EVERY: usize = 20;
        let w = Param::new(Weight::eye());
        let x = Activation::full(0.5).tracked();
        let before = LIVE.get();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut y = x.clone();
        for layer in 0..LAYERS {
            y = y.matmul(&w);
            if layer % EVERY == EVERY - 1 {
                let seen = seen.clone();
                y.register_hook(move |_| seen.lock().unwrap().push(LIVE.get()));
            }
        }
        let loss = y.sum();
        drop(y);
        let kept = LIVE.get() - before;
        let layers = LAYERS as isize;
        assert!((layers - 1) * BUFFER <= kept, "{} buffers", kept / BUFFER);
        assert!(kept <= (layers + 2) * BUFFER, "{} buffers", kept / BUFFER);

        let more = peak(|| loss.backward());
        assert!(more <= 3 * BUFFER + PRODUCT, "{} buffers", more / BUFFER);
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), LAYERS / EVERY);
        for pair in seen.windows(2) {
            let freed = (pair[0] - pair[1]) / BUFFER;
            assert!(
                (EVERY as isize - 1..=EVERY as isize + 1).contains(&freed),
                "{freed} buffers"
            );
        }
        // The two gradients.
        drop(loss);
        let left = LIVE.get() - before;
        assert!(left <= 3 * BUFFER, "{} buffers", left / BUFFER);
        assert_eq!(x.grad().unwrap()[[3, 5]], 1.0);
        assert_eq!(w.grad().unwrap()[[3, 5]], (LAYERS * ROWS) as f32 * 0.5);
    });
}

#[test]
fn a_chain_without_gradients_stays_at_two_buffers() {
    alone(|| {
        let w = Param::new(Weight::eye());
        let chain =
            |layers: usize| no_grad(|| (0..layers).fold(Activation::ones(), |x, _| x.matmul(&w)));
        let (short, long) = (peak(|| chain(2)), peak(|| chain(LAYERS)));
        assert!(long <= 2 * BUFFER + PRODUCT, "{long} bytes");
        assert_eq!(long, short);
        // Inputs are not recorded, with or without a word.
        let w = Weight::eye();
        let inputs = peak(|| (0..LAYERS).fold(Activation::ones(), |x, _| x.matmul(&w)));
        assert_eq!(inputs, short);
    });
}

#[test]
fn training_is_flat_over_ten_thousand_steps() {
    alone(|| {
        let rng = &mut Rng::seed(0);
        let mut model = (
            Linear::<16, 32>::new(rng),
            Relu,
            Dropout::new(0.1, rng),
            Linear::<32, 4>::new(rng),
        );
        let mut adam = Adam::new(&model, AdamConfig::default());
        let x = Tensor::<2, shape![8, 16]>::randn(rng);
        let labels = Indices::<1, shape![8], 4>::from_array([0, 1, 2, 3, 0, 1, 2, 3]).unwrap();
        let mut live = [0; 2];
        for step in 1..=10_000 {
            model.zero_grad();
            let loss = model.forward(&x).cross_entropy(&labels);
            loss.backward();
            adam.step(&mut model);
            drop(loss);
            match step {
                100 => live[0] = LIVE.get(),
                10_000 => live[1] = LIVE.get(),
                _ => {}
            }
        }
        assert_eq!(live[0], live[1]);
    });
}
