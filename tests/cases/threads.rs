//! Leaves in several threads.

use super::check::{exactly, grad, near};
use shapeproof::prelude::*;
use std::thread;

// tracel-ai/burn#1142
#[test]
fn a_leaf_made_here_and_used_there() {
    const RIGHT: [f64; 3] = [0.267261241912424, 0.534522483824849, 0.801783725737273];
    let x = Tensor::<1, shape![3], f64>::arange(1.0, 1.0).tracked();
    let norm = |x: &Tensor<1, shape![3], f64>| (x * x).sum().sqrt();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let mine = x.clone().tracked();
                    norm(&mine).backward();
                    near(&grad(&mine), RIGHT);
                    norm(&x).backward();
                }
            });
        }
    });
    near(&grad(&x), RIGHT.map(|g| 400.0 * g));
}

// LaurentMazare/tch-rs#751, #460, chelsea0x3b/dfdx#236, tracel-ai/burn#1575
#[test]
fn eight_threads_add_one_a_thousand_times() {
    let x = Param::<0, (), f64>::zeros();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..1000).for_each(|_| (&x + 1.0).backward()));
        }
    });
    exactly(&grad(&x), [8000.0]);
}

// kyutai-labs/pocket-tts#16
#[test]
fn recording_is_of_each_thread() {
    let x = Tensor::scalar(3.0f64).tracked();
    no_grad(|| {
        thread::scope(|scope| {
            scope.spawn(|| (&x * &x).backward());
        });
        assert!(!x.square().is_tracked());
    });
    exactly(&grad(&x), [6.0]);
    let y = &x * &x;
    thread::scope(|scope| {
        scope.spawn(|| no_grad(|| assert!(!x.square().is_tracked())));
        scope.spawn(|| y.backward());
    });
    exactly(&grad(&x), [12.0]);
}
