//! Parts of a graph that are computed again in backward, and operations of the user's own.

use shapeproof::autograd::{
    Fields, Function, apply, checkpoint, checkpoint_with_rng, grad, try_grad, value_and_grad,
};
use shapeproof::graph::is_recording;
use shapeproof::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Vector = Tensor<1, shape![4], f64>;
type Matrix = Tensor<2, shape![4, 4], f64>;

fn vector(seed: u64) -> Vector {
    Tensor::randn(&mut Rng::seed(seed)).tracked()
}

fn matrix(seed: u64) -> Matrix {
    Tensor::randn(&mut Rng::seed(seed)).tracked()
}

fn block(x: &Vector, w: &Matrix) -> Vector {
    x.matmul(w).tanh() * x
}

#[test]
fn a_part_computed_again_has_the_same_gradients() {
    let (x, w) = (vector(0), matrix(1));
    let plain = block(&block(&x, &w), &w);
    plain.square().sum().backward();
    let right = (x.grad(), w.grad());
    x.zero_grad();
    w.zero_grad();

    let part = |x: &Vector| checkpoint(|(x, w)| block(&x, &w), (x, &w));
    let y = part(&part(&x));
    assert_eq!(y.detach(), plain.detach());
    assert_eq!(y.node().unwrap().op(), "checkpoint");
    let saved: Vec<_> = y.node().unwrap().saved();
    assert_eq!(
        saved
            .iter()
            .map(|field| field.values().len())
            .collect::<Vec<_>>(),
        [4, 16]
    );
    let loss = y.square().sum();
    assert_eq!(
        grad(&loss, (&x, &w)),
        (right.0.clone().unwrap(), right.1.clone().unwrap())
    );
    loss.backward();
    assert_eq!((x.grad(), w.grad()), right);
}

/// Leaves, results, one of them twice, and what only the inner one of two parts captures.
#[test]
fn what_a_function_captures_takes_part() {
    let (x, w, v) = (vector(0), matrix(1), vector(2));
    let inner = |x: &Vector, h: &Vector, w: &Matrix| block(&(x + h + h), w);
    let h = v.sin();
    let plain = inner(&inner(&x, &h, &w), &h, &w).sum() + (&h * &x).sum();
    plain.backward_retaining();
    let right = (x.grad().unwrap(), w.grad().unwrap(), v.grad().unwrap());
    for tensor in [&x, &v] {
        tensor.zero_grad();
    }
    w.zero_grad();

    let captured = (w.clone(), h.clone());
    let part = move |x: Vector| {
        let (w, h) = captured.clone();
        checkpoint(move |x| inner(&x, &h, &w), &x)
    };
    let y = checkpoint(move |x| part(part(x)), &x).sum() + (&h * &x).sum();
    let node = y.node().unwrap();
    assert_eq!(node.op(), "add");
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
    let by_value = grad(&y, (&x, &w, &v));
    y.backward();
    let left = (x.grad().unwrap(), w.grad().unwrap(), v.grad().unwrap());
    for found in [&by_value, &left] {
        assert!(close(found.0.as_slice(), right.0.as_slice()));
        assert!(close(found.1.as_slice(), right.1.as_slice()));
        assert!(close(found.2.as_slice(), right.2.as_slice()));
    }
}

#[test]
fn a_model_behind_an_arc() {
    let model = Arc::new((
        Linear::<4, 8, f64>::new(&mut Rng::seed(0)),
        Tanh,
        Linear::<8, 1, f64>::new(&mut Rng::seed(1)),
    ));
    let x = Tensor::<2, shape![3, 4], f64>::randn(&mut Rng::seed(2));
    model.forward(&x).sum().backward();
    let grads = |model: &(Linear<4, 8, f64>, Tanh, Linear<8, 1, f64>)| {
        let mut all = Vec::new();
        model.visit("", &mut |_, parameter| all.push(parameter.grad().unwrap()));
        model.zero_grad();
        all
    };
    let right = grads(&model);
    let inside = model.clone();
    checkpoint(
        move |x: Tensor<2, shape![3, 4], f64>| inside.forward(&x),
        &x,
    )
    .sum()
    .backward();
    assert_eq!(grads(&model), right);
}

/// Hooks run once, on the complete gradient, and not where the part is computed again.
#[test]
fn hooks_run_once() {
    let (x, w) = (vector(0), matrix(1));
    let calls = Arc::new(AtomicUsize::new(0));
    let count = |calls: &Arc<AtomicUsize>| {
        let calls = calls.clone();
        move || {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    let (a, b) = (count(&calls), count(&calls));
    x.register_hook(move |_| a());
    w.register_hook(move |_| b());
    let captured = w.clone();
    (checkpoint(move |x| block(&x, &captured), &x) + block(&x, &w))
        .sum()
        .backward();
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[test]
fn random_numbers_are_drawn_again() {
    let x = Tensor::<1, shape![1000], f64>::ones().tracked();
    let twice = |x: &Tensor<1, shape![1000], f64>, rng: &mut Rng| {
        x.dropout(0.3, true, rng).dropout(0.5, true, rng)
    };
    let rng = &mut Rng::seed(5);
    let part = checkpoint_with_rng(move |x, rng: &mut Rng| twice(&x, rng), &x, rng);
    let next = rng.below(1 << 30);
    part.sum().backward();
    assert_eq!(x.grad().unwrap(), part.detach());

    let rng = &mut Rng::seed(5);
    assert_eq!(
        (twice(&x, rng).detach(), rng.below(1 << 30)),
        (part.detach(), next)
    );
}

/// A function that takes gradients inside has the same value in forward and when it is computed again.
#[test]
fn gradients_inside_a_part() {
    let sloped = |x: Vector| {
        let (_, slope) = value_and_grad(|x: Vector| x.powi(3).sum(), &x);
        slope * x
    };
    let x = vector(0);
    let y = checkpoint(sloped, &x);
    let plain = sloped(x.clone());
    assert_eq!(y.detach(), plain.detach());
    assert!(y.to_vec().iter().all(|&y| y != 0.0));
    assert_eq!(grad(&y.sum(), &x), grad(&plain.sum(), &x));
}

#[test]
fn modes_hold_inside_and_return() {
    let x = vector(0);
    let y = checkpoint(
        |x: Vector| {
            let constant = no_grad(|| x.exp());
            let inner = enable_grad(|| x.square());
            constant * inner
        },
        &x,
    );
    y.sum().backward();
    let right = x.exp() * (&x * 2.0);
    assert!((x.grad().unwrap() - right.detach()).abs().max().item() < 1e-12);

    assert!(!no_grad(|| checkpoint(|x: Vector| x.square(), &x)).is_tracked());
    assert!(!checkpoint(|x: Vector| x.square(), &x.detach()).is_tracked());
    let failed = catch_unwind(AssertUnwindSafe(|| {
        checkpoint(|_: Vector| -> Vector { panic!("inside") }, &x)
    }));
    assert!(failed.is_err() && is_recording());
    assert!(x.square().is_tracked());
}

#[test]
fn a_panic_when_it_is_computed_again_leaves_the_engine_usable() {
    let x = vector(0);
    let calls = AtomicUsize::new(0);
    let y = checkpoint(
        move |x: Vector| {
            assert!(
                calls.fetch_add(1, Ordering::Relaxed) != 1,
                "the second time"
            );
            x.square()
        },
        &x,
    );
    let loss = y.sum();
    assert!(catch_unwind(AssertUnwindSafe(|| loss.backward_retaining())).is_err());
    assert!(is_recording() && x.grad().is_none());
    loss.backward();
    assert_eq!(x.grad().unwrap(), x.detach() * 2.0);
}

#[test]
#[should_panic(expected = "whose graph an earlier backward has freed")]
fn a_second_backward_is_refused() {
    let x = vector(0);
    let y = checkpoint(|x: Vector| x.square(), &x).sum();
    y.backward();
    y.backward();
}

#[test]
fn an_input_that_is_not_used_has_a_gradient_of_zeros() {
    let (x, unused) = (vector(0), vector(1));
    let y = checkpoint(|(x, _): (Vector, Vector)| x.square(), (&x, &unused)).sum();
    y.backward();
    assert_eq!(unused.grad().unwrap().to_array(), [0.0; 4]);
}

/// A chain of parts, each in a part of its own: every activation is computed a few times, not 2^depth times.
#[test]
fn parts_in_parts() {
    fn nested(depth: usize, x: Vector, calls: Arc<AtomicUsize>) -> Vector {
        calls.fetch_add(1, Ordering::Relaxed);
        if depth == 0 {
            return x.sin();
        }
        checkpoint(move |x| nested(depth - 1, x, calls.clone()), &x)
    }
    let x = vector(0);
    let calls = Arc::new(AtomicUsize::new(0));
    nested(6, x.clone(), calls.clone()).sum().backward();
    assert_eq!(x.grad().unwrap(), x.detach().cos());
    assert!(calls.load(Ordering::Relaxed) <= 7 * 8 / 2, "{calls:?}");
}

/// x·w and its gradients in one node, with both operands saved.
struct Scale {
    calls: Arc<AtomicUsize>,
}

impl Function for Scale {
    const NAME: &'static str = "scale";
    type Inputs = (Vector, Tensor<0, (), f64>);
    type Output = Vector;
    type Saved = (Vector, Tensor<0, (), f64>);

    fn forward(&self, (x, w): Self::Inputs) -> (Vector, Self::Saved) {
        assert!(!is_recording() && !x.is_tracked());
        (&x * &w, (x, w))
    }
    fn backward(&self, (x, w): &Self::Saved, grad: Vector) -> Self::Inputs {
        assert!(!is_recording());
        self.calls.fetch_add(1, Ordering::Relaxed);
        let dw = (&grad * x).sum();
        (grad * w, dw)
    }
    fn fields(&self, (x, w): &Self::Saved, fields: &mut Fields<'_, f64>) {
        fields.tensor("x", x);
        fields.number("w", w.item());
    }
}

#[test]
fn an_operation_of_ones_own_is_one_node() {
    let (x, w) = (vector(0), Tensor::scalar(3.0f64).tracked());
    let calls = Arc::new(AtomicUsize::new(0));
    let scale = |x: &Vector, w: &Tensor<0, (), f64>| {
        apply(
            Scale {
                calls: calls.clone(),
            },
            (x, w),
        )
    };
    let y = scale(&x, &w);
    let node = y.node().unwrap();
    assert_eq!((node.op(), node.parents().len()), ("scale", 2));
    assert_eq!(node.saved()[0].values(), x.as_slice());
    assert_eq!(
        (node.saved()[1].name(), node.saved()[1].values()),
        ("w", &[3.0][..])
    );
    y.square().sum().backward();
    assert!((x.grad().unwrap() - x.detach() * 18.0).abs().max().item() < 1e-12);
    let right = x.detach().square().sum() * 6.0;
    assert!((w.grad().unwrap() - right).abs().item() < 1e-12);

    // Plain data is not recorded; an operand that is tracked alone gets its gradient.
    assert!(!scale(&x.detach(), &w.detach()).is_tracked());
    let dw = grad(&scale(&x.detach(), &w).sum(), &w);
    assert!((dw - x.detach().sum()).abs().item() < 1e-12);
    assert!(try_grad(&scale(&x.detach(), &w).sum(), &x).is_err());
    // Behind plain data and inside a part, too.
    let (_, (dx, _)) = value_and_grad(
        {
            let calls = calls.clone();
            move |(x, w)| {
                let calls = calls.clone();
                checkpoint(
                    move |(x, w): (Vector, Tensor<0, (), f64>)| {
                        apply(
                            Scale {
                                calls: calls.clone(),
                            },
                            (&x, &w),
                        )
                    },
                    (&x, &w),
                )
                .sum()
            }
        },
        (&x, &w),
    );
    assert_eq!(dx.to_array(), [3.0; 4]);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

/// A gradient that is wrong is used all the same: the formula is the user's.
struct Zero;

impl Function for Zero {
    const NAME: &'static str = "zero";
    type Inputs = Vector;
    type Output = Tensor<0, (), f64>;
    type Saved = ();

    fn forward(&self, x: Vector) -> (Tensor<0, (), f64>, ()) {
        (x.sum(), ())
    }
    fn backward(&self, (): &(), _: Tensor<0, (), f64>) -> Vector {
        Tensor::zeros()
    }
}

#[test]
fn the_gradient_is_the_functions_own() {
    let x = vector(0);
    apply(Zero, &x).backward();
    assert_eq!(x.grad().unwrap().to_array(), [0.0; 4]);
}
