//! Tensors, graphs and gradients across threads: what may be sent, exact sums, no waiting for oneself, and
//! results that do not depend on the number of threads.

use rayon::prelude::*;
use shapeproof::graph::{NodeView, SavedView, is_recording};
use shapeproof::optim::{AdamConfig, SgdConfig};
use shapeproof::prelude::*;
use shapeproof::shape::Same;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

/// More elements than stay on one thread.
const LARGE: usize = (1 << 18) + 1234;

type Weights = Param<1, Large>;
type Large = shape![LARGE];

#[test]
fn what_may_cross_threads_is_send_and_sync() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Tensor<2, shape![2, 3]>>();
    crosses::<Tensor<0, (), f64>>();
    crosses::<Param<2, shape![2, 3]>>();
    crosses::<Indices<1, shape![3], 10>>();
    crosses::<Mask<1, shape![3]>>();
    crosses::<NodeView<f32>>();
    crosses::<SavedView>();
    crosses::<Linear<3, 2>>();
    crosses::<Sgd<Linear<3, 2>>>();
    crosses::<Adam<Linear<3, 2>>>();
    crosses::<AdamW<Linear<3, 2, f64>, f64>>();
    crosses::<Rng>();
    crosses::<shapeproof::error::IndexError>();
}

#[test]
fn graphs_of_several_threads_add_to_one_leaf_exactly() {
    const THREADS: usize = 8;
    const ROUNDS: usize = 200;
    let w = Param::<1, shape![40], f64>::ones();
    thread::scope(|scope| {
        for t in 0..THREADS {
            let w = &w;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let factor = (t * ROUNDS + round) as f64;
                    (w * factor + w.square()).sum().backward();
                }
            });
        }
    });
    let n = (THREADS * ROUNDS) as f64;
    let right = n * (n - 1.0) / 2.0 + 2.0 * n;
    assert_eq!(w.grad().unwrap().to_array(), [right; 40]);
}

#[test]
fn several_threads_go_back_through_one_graph() {
    const THREADS: usize = 8;
    const ROUNDS: usize = 100;
    let x = Tensor::<1, shape![5], f64>::arange(1.0, 1.0).tracked();
    // A diamond with a fan-in of three, so that each pass needs notes of its own on every node.
    let y = x.square();
    y.retain_grad();
    let loss = (&y * &x + &y + x.exp().ln()).sum();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| loss.backward_retaining()));
        }
    });
    let n = (THREADS * ROUNDS) as f64;
    for (i, g) in x.grad().unwrap().iter().enumerate() {
        let x = i as f64 + 1.0;
        let right = n * (3.0 * x * x + 2.0 * x + 1.0);
        assert!((g - right).abs() < 1e-9 * right, "{g} is not {right}");
    }
    let x = x.detach();
    assert_eq!(y.grad().unwrap(), (x + 1.0) * n);
}

#[test]
fn a_graph_is_built_here_and_used_there() {
    let w = Param::<1, shape![3], f64>::ones();
    let loss = (&w * 3.0).square().sum();
    thread::spawn(move || loss.backward()).join().unwrap();
    assert_eq!(w.grad().unwrap().to_array(), [18.0; 3]);

    // Dropped where it was not built, and the leaf used on where it was.
    let loss = (&w * 3.0).square().sum();
    thread::spawn(move || drop(loss)).join().unwrap();
    w.sum().backward();
    assert_eq!(w.grad().unwrap().to_array(), [19.0; 3]);
}

#[test]
fn several_threads_drop_one_graph_at_a_time() {
    for _ in 0..50 {
        let w = Param::<0, (), f64>::ones();
        let mut chain = &w * 1.0;
        for _ in 0..1000 {
            chain = &chain + &chain * 1e-3;
        }
        let start = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                let (mine, start) = (chain.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    drop(mine);
                });
            }
            drop(chain);
        });
        w.square().backward();
        assert_eq!(w.grad().unwrap().item(), 2.0);
    }
}

#[test]
fn a_long_graph_that_lives_as_long_as_its_thread_is_dropped() {
    use std::cell::RefCell;
    thread_local! {
        static KEPT: RefCell<Option<Tensor<0, (), f32>>> = const { RefCell::new(None) };
    }
    let chain = || {
        let mut x = Tensor::scalar(1.0f32).tracked();
        for _ in 0..100_000 {
            x += 1.0;
        }
        x
    };
    let body = move || {
        // First used before anything that dropping a graph may use, so that it is destroyed after it.
        KEPT.set(None);
        drop(chain());
        KEPT.set(Some(chain()));
    };
    let small = thread::Builder::new().stack_size(512 << 10);
    small.spawn(body).unwrap().join().unwrap();
}

#[test]
fn a_panic_in_a_race_for_one_graph_leaves_everything_usable() {
    let mut refused = 0;
    let w = Param::<1, shape![4], f64>::ones();
    let mut right = 0.0;
    for _ in 0..100 {
        let loss = (&w * 2.0).exp().ln().sum();
        let start = Barrier::new(3);
        let outcomes: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        catch_unwind(AssertUnwindSafe(|| loss.backward()))
                    })
                })
                .collect();
            racers.into_iter().map(|r| r.join().unwrap()).collect()
        });
        // One of them frees the graph; the others are told so before they reach a leaf.
        assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
        for panic in outcomes.into_iter().filter_map(Result::err) {
            let text = message(&*panic);
            assert!(
                text.contains("freed") && text.contains("`backward_retaining`"),
                "{text}"
            );
            refused += 1;
        }
        right += 2.0;
        let got = w.grad().unwrap();
        assert!(got.iter().all(|g| (g - right).abs() < 1e-9), "{got}");
    }
    assert_eq!(refused, 200);
    w.zero_grad();
    w.square().sum().backward();
    assert_eq!(w.grad().unwrap().to_array(), [2.0; 4]);
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().unwrap_or(&""),
    }
}

/// Fails where `body` has not ended in time: waiting for oneself takes for ever.
fn ends(body: impl FnOnce() + Send + 'static) {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || {
        body();
        done.send(()).unwrap();
    });
    let outcome = wait.recv_timeout(Duration::from_secs(120));
    assert_ne!(outcome, Err(mpsc::RecvTimeoutError::Timeout), "it hangs");
    outcome.expect("it panicked");
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// A pool's thread that waits for a kernel's other half may be given another task of the pool. If both go
/// backward to one leaf, the second must not wait for what the first holds.
#[test]
fn tasks_of_one_pool_share_a_large_leaf() {
    ends(|| {
        let w = Param::<1, Large>::ones();
        pool(8).install(|| {
            (0..100)
                .into_par_iter()
                .with_max_len(1)
                .for_each(|i| (&w * i as f32).sum().backward());
        });
        assert_eq!(w.grad().unwrap()[[LARGE - 1]], 100.0 * 99.0 / 2.0);
    });
}

#[test]
fn tasks_of_one_pool_share_a_large_graph() {
    ends(|| {
        let w = Param::<1, Large>::ones();
        let loss = (w.square() + &*w).sum();
        pool(8).install(|| {
            (0..100)
                .into_par_iter()
                .with_max_len(1)
                .for_each(|_| loss.backward_retaining());
        });
        assert_eq!(w.grad().unwrap()[[0]], 300.0);
    });
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    /// Values and gradients of what runs on several threads, bit by bit.
    fn all() -> Vec<u32> {
        let mut bits = Vec::new();
        let mut note = |values: &[f32]| bits.extend(values.iter().map(|v| v.to_bits()));
        let rng = &mut Rng::seed(3);

        let x = Tensor::<1, Large>::randn(rng).tracked();
        let y = (x.exp() * &x + x.sigmoid()).tanh();
        note(y.as_slice());
        (y.sum() + y.mean() + y.var(1) + y.std(0) + y.logsumexp()).backward();
        note(x.grad().unwrap().as_slice());

        let a = Tensor::<2, shape![600, 500]>::randn(rng).tracked();
        let row = Tensor::<1, shape![500]>::randn(rng).tracked();
        let column = Tensor::<2, shape![600, 1]>::randn(rng).tracked();
        let z = (&a * &row + &column).maximum(&row) - a.mean_keepdim::<0>();
        let parts = [
            z.softmax::<1>().square().sum(),
            z.log_softmax::<0>().mean(),
            z.sum_axis::<0>().square().mean(),
            z.var_axis::<1>(0).sum(),
            z.t().sum_axis::<1>().abs().sum(),
            z.logsumexp_axis::<0>().sum(),
        ];
        for part in parts {
            note(&[part.item()]);
            part.backward_retaining();
        }
        for grad in [a.grad().unwrap().as_slice(), row.grad().unwrap().as_slice()] {
            note(grad);
        }
        note(column.grad().unwrap().as_slice());

        let grad = Tensor::<1, Large>::randn(rng);
        fn trained(
            start: &Tensor<1, Large>,
            grad: &Tensor<1, Large>,
            new: impl Fn(&Weights) -> Box<dyn Optimizer<Weights>>,
        ) -> Weights {
            let mut weights = Param::new(start.clone());
            let mut optimizer = new(&weights);
            for _ in 0..2 {
                weights.set_grad(Some(grad.clone()));
                optimizer.step(&mut weights);
            }
            weights
        }
        let start = Tensor::<1, Large>::randn(rng);
        let momentum = SgdConfig {
            momentum: 0.9,
            ..Default::default()
        };
        let largest = AdamConfig {
            amsgrad: true,
            ..Default::default()
        };
        note(
            trained(&start, &grad, |w| {
                Box::new(Sgd::new(w, SgdConfig::default()))
            })
            .as_slice(),
        );
        note(trained(&start, &grad, |w| Box::new(Sgd::new(w, momentum.clone()))).as_slice());
        note(
            trained(&start, &grad, |w| {
                Box::new(Adam::new(w, AdamConfig::default()))
            })
            .as_slice(),
        );
        note(trained(&start, &grad, |w| Box::new(Adam::new(w, largest.clone()))).as_slice());

        let m = Tensor::<2, shape![150, 100]>::randn(rng).tracked();
        let n = Tensor::<2, shape![100, 130]>::randn(rng).tracked();
        let product = m.matmul(&n);
        note(product.as_slice());
        product.square().sum().backward();
        note(m.grad().unwrap().as_slice());
        note(n.grad().unwrap().as_slice());

        let x = Tensor::<4, shape![3, 17, 40, 41]>::randn(rng).tracked();
        let w = Tensor::<4, shape![8, 17, 3, 3]>::randn(rng).tracked();
        let y = x.conv2d(&w, Same);
        note(y.as_slice());
        y.square().sum().backward();
        note(x.grad().unwrap().as_slice());
        note(w.grad().unwrap().as_slice());
        bits
    }
    let one = pool(1).install(all);
    for threads in [2, 3] {
        // Not assert_eq: nobody wants to read a million numbers.
        assert!(pool(threads).install(all) == one, "{threads} threads");
    }
}

#[test]
fn reading_a_gradient_while_others_add_to_it_never_finds_it_gone() {
    let w = Param::<1, shape![100], f64>::ones();
    w.sum().backward();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let add = || (0..500).for_each(|_| w.sum().backward());
        let adders = [scope.spawn(add), scope.spawn(add)];
        scope.spawn(|| {
            let mut last = 0.0;
            while !stop.load(Ordering::Relaxed) {
                let grad = w.grad().expect("there was one all along");
                let first = grad[[0]];
                assert!(grad.iter().all(|g| g == first), "half of an addition shows");
                assert!(first >= last);
                last = first;
            }
        });
        for adder in adders {
            adder.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(w.grad().unwrap()[[99]], 1001.0);
}

#[test]
fn recording_is_a_switch_of_each_thread() {
    let w = Param::<0, (), f64>::ones();
    no_grad(|| {
        thread::scope(|scope| {
            scope.spawn(|| {
                assert!(is_recording());
                assert!((&w * 2.0).is_tracked());
            });
        });
        assert!(!(&w * 2.0).is_tracked());
    });
    let inside = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            no_grad(|| {
                inside.wait();
                assert!(!w.square().is_tracked());
                inside.wait();
            });
        });
        inside.wait();
        assert!(w.square().is_tracked());
        inside.wait();
    });
}

#[test]
fn parameters_are_read_by_many_threads_at_once() {
    let model = Linear::<8, 4, f64>::new(&mut Rng::seed(0));
    let x = Tensor::<2, shape![3, 8], f64>::randn(&mut Rng::seed(1));
    let right = no_grad(|| model.forward(&x));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(model.forward(&x), right);
                }
            });
        }
    });
}
