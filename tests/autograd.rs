//! Hooks on gradients, and gradients as values.

use shapeproof::autograd::{grad, grad_with, try_grad, value_and_grad, vjp};
use shapeproof::graph::Hook;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

type Log = Arc<Mutex<Vec<f64>>>;

fn number(x: f64) -> Tensor<0, (), f64> {
    Tensor::scalar(x).tracked()
}

fn fail(message: &'static str) {
    std::panic::panic_any(message);
}

/// A hook that notes the gradients it sees.
fn noting(log: &Log) -> impl Fn(&Tensor<0, (), f64>) + Send + Sync + 'static {
    let log = log.clone();
    move |grad| log.lock().unwrap().push(grad.item())
}

#[test]
fn hooks_run_in_order_each_on_what_the_one_before_left() {
    let (log, x) = (Log::default(), number(2.0));
    let y = &x * 3.0;
    let doubled = y.register_hook(|grad| grad * 2.0);
    y.register_hook(noting(&log));
    y.register_hook(|grad| grad + 1.0);
    y.retain_grad();
    y.backward_retaining();
    assert_eq!(
        (y.grad().unwrap().item(), x.grad().unwrap().item()),
        (3.0, 9.0)
    );
    doubled.remove();
    x.zero_grad();
    y.zero_grad();
    y.backward_retaining();
    assert_eq!(
        (y.grad().unwrap().item(), x.grad().unwrap().item()),
        (2.0, 6.0)
    );
    doubled.remove(); // a second time: nothing
    x.zero_grad();
    y.backward();
    assert_eq!(x.grad().unwrap().item(), 6.0);
    assert_eq!(*log.lock().unwrap(), [2.0, 1.0, 1.0]);
}

/// Once a pass, on the sum over all uses; on a leaf only on what this pass brings.
#[test]
fn a_hook_sees_the_complete_gradient_once() {
    let (log, sums, x) = (Log::default(), Log::default(), number(2.0));
    x.register_hook(noting(&log));
    x.register_post_accumulate_grad_hook(noting(&sums));
    for _ in 0..2 {
        let y = &x * &x;
        (&y + &x * 5.0 + &y).backward();
    }
    assert_eq!(*log.lock().unwrap(), [13.0, 13.0]);
    assert_eq!(*sums.lock().unwrap(), [13.0, 26.0]);
}

#[test]
fn a_replaced_gradient_is_what_the_leaf_keeps() {
    let x = Tensor::from([1.0f64, 2.0, 3.0]).tracked();
    x.register_hook(|grad| (grad[[1]] > 1.0).then(|| grad * 0.5));
    (&x * 4.0).sum().backward();
    (&x * 1.0).sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [3.0; 3]);
}

/// A hook runs backward on another graph, on a graph through the same leaf, and removes itself.
#[test]
fn hooks_may_start_passes_and_remove_hooks() {
    let (x, other) = (number(2.0), number(5.0));
    let own: Arc<OnceLock<Hook<f64>>> = Arc::default();
    let calls = Arc::new(AtomicUsize::new(0));
    let y = x.square();
    let hook = y.register_hook({
        let (own, calls, other, x) = (own.clone(), calls.clone(), other.clone(), x.clone());
        move |_| {
            calls.fetch_add(1, Ordering::Relaxed);
            enable_grad(|| other.square().backward());
            enable_grad(|| (&x * 100.0).backward());
            own.get().unwrap().remove();
        }
    });
    own.set(hook).unwrap();
    (&y * 3.0).backward_retaining();
    assert_eq!(other.grad().unwrap().item(), 10.0);
    assert_eq!(x.grad().unwrap().item(), 100.0 + 12.0);
    (&y * 3.0).backward();
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

/// What is registered meanwhile counts from the next pass on.
#[test]
fn a_hook_may_register_a_hook() {
    let log = Log::default();
    let x = number(1.0);
    let first = x.register_hook({
        let (x, log) = (x.clone(), log.clone());
        move |_| {
            x.register_hook(noting(&log));
        }
    });
    (&x * 2.0).backward();
    assert!(log.lock().unwrap().is_empty());
    first.remove();
    (&x * 3.0).backward();
    assert_eq!(*log.lock().unwrap(), [3.0]);
}

#[test]
fn a_panic_in_a_hook_leaves_the_engine_usable() {
    let x = number(2.0);
    let y = x.square();
    let hook = y.register_hook(|_| fail("from the hook"));
    let z = &y * 3.0;
    let result = catch_unwind(AssertUnwindSafe(|| z.backward_retaining()));
    assert_eq!(
        *result.unwrap_err().downcast::<&str>().unwrap(),
        "from the hook"
    );
    assert!(x.grad().is_none());
    hook.remove();
    z.backward();
    assert_eq!(x.grad().unwrap().item(), 12.0);
}

/// A handle does not keep the graph alive, and the graph keeps no hook longer than itself.
#[test]
fn hooks_go_with_their_tensor() {
    let held = Arc::new(());
    let hook = {
        let x = number(1.0);
        let held = held.clone();
        let y = x.square();
        y.register_hook(move |_| {
            let _ = &held;
        })
    };
    assert_eq!(Arc::strong_count(&held), 1);
    hook.remove();
}

#[test]
fn hooks_on_threads_that_share_a_leaf() {
    let x = number(1.0);
    let calls = Arc::new(AtomicUsize::new(0));
    x.register_hook({
        let calls = calls.clone();
        move |_| {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    });
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..200).for_each(|_| (&x * 1.0).backward()));
        }
    });
    assert_eq!(calls.load(Ordering::Relaxed), 1600);
    assert_eq!(x.grad().unwrap().item(), 1600.0);
}

#[test]
#[should_panic(expected = "a hook on a tensor that is not tracked: no gradient will reach it")]
fn a_hook_on_plain_data() {
    Tensor::scalar(1.0f64).register_hook(|_| {});
}

#[test]
fn gradients_as_values_leave_leaves_alone() {
    let x = Tensor::from([[1.0f64, 2.0], [3.0, 4.0]]).tracked();
    let w = Param::<2, shape![2, 3], f64>::new(Tensor::from([[1.0, 0.0, 2.0], [0.5, 1.0, -1.0]]));
    let hidden = x.matmul(&w);
    let loss = hidden.tanh().square().sum();
    let (dx, dw, dh) = grad(&loss, (&x, &w, &hidden));
    assert!(x.grad().is_none() && w.grad().is_none());
    let again = grad(&loss, &w);
    hidden.retain_grad();
    loss.backward();
    assert_eq!((dx, dh), (x.grad().unwrap(), hidden.grad().unwrap()));
    assert_eq!((&dw, &again), (&w.grad().unwrap(), &w.grad().unwrap()));
}

/// The same input twice, the result itself, and an input in front of another one.
#[test]
fn inputs_may_be_anything_on_the_way() {
    let x = number(3.0);
    let y = x.square();
    let (a, b, c, d) = grad(&y, (&x, &y, &x, &y));
    assert_eq!(
        (a.item(), b.item(), c.item(), d.item()),
        (6.0, 1.0, 6.0, 1.0)
    );
    let seeded = grad_with(&y, &Tensor::scalar(10.0), (&y, &x));
    assert_eq!((seeded.0.item(), seeded.1.item()), (10.0, 60.0));
}

#[test]
fn only_what_lies_between_is_walked() {
    let (x, w) = (number(3.0), number(2.0));
    let before = x.square();
    x.register_hook(|_| fail("this lies behind the input"));
    let aside = w.square();
    aside.register_hook(|_| fail("this leads to no input"));
    let loss = &before * &aside;
    assert_eq!(grad(&loss, &before).item(), 4.0);
}

#[test]
fn an_input_without_influence_is_named() {
    let (x, y) = (number(1.0), number(1.0));
    let loss = x.square();
    let error = try_grad(&loss, (&x, &y)).unwrap_err();
    assert_eq!(
        (error.place(), error.to_string().as_str()),
        (1, "the result does not depend on input 1")
    );
    let error = try_grad(&loss, (&Tensor::scalar(1.0), &x)).unwrap_err();
    assert_eq!(error.place(), 0);
    assert!(error.to_string().starts_with("input 0 is not tracked"));
    // A leaf that was made of the input is another one.
    assert!(try_grad(&x.clone().tracked().square(), &x).is_err());
    assert!(try_grad(&Tensor::scalar(1.0), &x).is_err());
}

#[test]
#[should_panic(expected = "no gradient: the result does not depend on input 0")]
fn no_gradient_is_a_panic_in_the_short_form() {
    grad(&number(1.0), &number(2.0));
}

#[test]
#[should_panic(expected = "whose graph an earlier backward has freed")]
fn a_freed_graph_is_refused() {
    let x = number(1.0);
    let y = x.square();
    y.sin().backward();
    grad(&y.cos(), &x);
}

#[test]
fn hooks_take_part_in_gradients_as_values() {
    let x = number(3.0);
    let sums = Log::default();
    x.register_hook(|grad| grad * 10.0);
    x.register_post_accumulate_grad_hook(noting(&sums));
    assert_eq!(grad(&x.square(), &x).item(), 60.0);
    assert!(sums.lock().unwrap().is_empty());
}

#[test]
fn functions_are_differentiated_with_nothing_left_behind() {
    let w = Param::<1, shape![2], f64>::new(Tensor::from([3.0, 4.0]));
    let x = Tensor::from([1.0f64, 2.0]);
    let unused = Tensor::<2, shape![2, 2], f64>::ones();
    let (loss, (dx, dw, du)) =
        no_grad(|| value_and_grad(|(x, w, _)| (x * w).square().sum(), (&x, &w, &unused)));
    assert_eq!((loss.item(), loss.is_tracked()), (73.0, false));
    assert_eq!((dx.to_array(), dw.to_array()), ([18.0, 64.0], [6.0, 32.0]));
    assert_eq!(du.to_array(), [[0.0; 2]; 2]);
    assert!(w.grad().is_none());
}

/// The seeds of the axes give the rows of the Jacobian; a constant function has a Jacobian of zeros.
#[test]
fn pullbacks_may_be_called_again() {
    let x = Tensor::from([1.0f64, 2.0]);
    let (y, pullback) = vjp(|x: Tensor<1, shape![2], f64>| x.outer(&x).flatten(), &x);
    assert_eq!(y.to_array(), [1.0, 2.0, 2.0, 4.0]);
    let rows = [[2.0, 0.0], [2.0, 1.0], [2.0, 1.0], [0.0, 4.0]];
    for (i, row) in rows.into_iter().enumerate() {
        let seed = Tensor::from(std::array::from_fn::<_, 4, _>(|j| {
            f64::from(u8::from(i == j))
        }));
        assert_eq!(pullback(&seed).to_array(), row);
    }
    let (_, pullback) = vjp(|_: Tensor<1, shape![2], f64>| Tensor::scalar(1.0), &x);
    assert_eq!(pullback(&Tensor::scalar(5.0)).to_array(), [0.0; 2]);
}

/// Deep and wide graphs, in linear time and without recursion.
#[test]
fn long_chains_and_many_uses() {
    let x = number(1.0);
    let mut y = &x + 0.0;
    for _ in 0..200_000 {
        y += 1e-9;
    }
    for _ in 0..100_000 {
        y = &y + &x;
    }
    assert_eq!(grad(&y, &x).item(), 100_001.0);
}

fn assert_shared<T: Send + Sync>() {}

#[test]
fn handles_cross_threads() {
    assert_shared::<Hook<f32>>();
}
