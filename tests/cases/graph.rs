//! The graph: values that change after they were used, recording, second passes, depth.

use super::check::{Number, exactly, grad, near, panic_text};
use shapeproof::graph::is_recording;
use shapeproof::prelude::*;
use std::thread;

both! {
    // pytorch/pytorch#6990, #7860
    fn what_was_saved_is_not_overwritten<E>() {
        let right = [0.196611933241482, 0.104993585403507, 0.045176659730912];
        let a: Tensor<1, shape![3], E> = super::check::of(&[1.0, 2.0, 3.0]);
        let mut a = a.tracked();
        let out = a.sigmoid();
        let mut alias = out.detach();
        alias.as_mut_slice().fill(E::zero());
        let mut clone = out.clone();
        clone.as_mut_slice().fill(E::zero());
        let mut scaled = out.clone();
        scaled *= E::zero();
        a.as_mut_slice().fill(E::nan());
        out.sum().backward();
        near(&grad(&a), right);
        exactly(&alias, [0.0; 3]);
    }

    // karpathy/micrograd#53, #102
    fn gradients_of_leaves_add_up_and_others_do_not<E>() {
        let number = |v: f64| Tensor::<0, (), E>::scalar(E::of(v));
        let (a, b, d) = (number(3.0).tracked(), number(2.0).tracked(), number(1.0).tracked());
        let check = |times: f64| {
            exactly(&grad(&a), [times]);
            exactly(&grad(&b), [times]);
            exactly(&grad(&d), [5.0 * times]);
        };
        let e = (&a + &b) * &d;
        e.backward_retaining();
        check(1.0);
        e.backward_retaining();
        check(2.0);
        e.backward();
        check(3.0);
        ((&a + &b) * &d).backward();
        check(4.0);
        let text = panic_text(|| e.backward());
        assert!(text.contains("freed") && text.contains("backward_retaining"), "{text}");
        check(4.0);
    }

    // tracel-ai/burn#5645, tinygrad/tinygrad#5701
    fn a_part_that_was_freed_is_not_skipped<E>() {
        let x = Tensor::<0, (), E>::scalar(E::of(3.0)).tracked();
        let y = x.square();
        let (l1, l2) = (&y * E::of(2.0), &y * E::of(5.0));
        let l3 = x.powi(3);
        l1.backward();
        exactly(&grad(&x), [12.0]);
        panic_text(|| l2.backward());
        exactly(&grad(&x), [12.0]);
        // What shares the leaf alone works.
        l3.backward();
        exactly(&grad(&x), [39.0]);

        x.zero_grad();
        let y = x.square();
        let (l1, l2) = (&y * E::of(2.0), &y * E::of(5.0));
        l1.backward_retaining();
        exactly(&grad(&x), [12.0]);
        l2.backward();
        exactly(&grad(&x), [42.0]);
    }
}

// jax-ml/jax#3271, huggingface/trl#6730
#[test]
fn recording_comes_back_after_a_panic() {
    let slope_at_three = || {
        let x = Tensor::scalar(3.0f64).tracked();
        (&x * &x).backward();
        exactly(&grad(&x), [6.0]);
    };
    panic_text(|| no_grad(|| panic!("inside")));
    slope_at_three();
    panic_text(|| no_grad(|| enable_grad(|| no_grad(|| panic!("further inside")))));
    slope_at_three();
    no_grad(|| {
        panic_text(|| enable_grad(|| panic!("inside")));
        assert!(!is_recording());
        enable_grad(|| {
            panic_text(|| no_grad(|| panic!("inside")));
            assert!(is_recording());
            slope_at_three();
        });
        assert!(!is_recording());
    });
    assert!(is_recording());
    slope_at_three();
}

// pytorch/pytorch#5534, #6873, #11534, karpathy/micrograd#90
#[test]
fn a_graph_of_three_hundred_thousand_nodes_needs_no_stack() {
    const STEPS: usize = 150_000;
    let body = || {
        let x = Tensor::<1, shape![9], f64>::ones().tracked();
        let build = || {
            let mut y = x.clone();
            for _ in 0..STEPS {
                y = &y + &y * 1e-6;
            }
            y
        };
        drop(build());
        let loss = build().sum();
        loss.backward();
        near(
            &grad(&x),
            [1.16183416; 9].map(|_: f64| 1.000001f64.powi(STEPS as i32)),
        );
        assert!((grad(&x)[[0]] - 1.16183416).abs() < 1e-8);
        drop(loss);
    };
    let small = thread::Builder::new().stack_size(512 << 10);
    small.spawn(body).unwrap().join().unwrap();
}

/// A parameter that is written to stays a leaf, and graphs keep the value they saw.
#[test]
fn parameters_are_written_to_with_operators() {
    fn body<E: Number>() {
        let mut w = Param::<2, shape![2, 2], E>::ones();
        let loss = w.square().sum();
        w -= &Tensor::<1, shape![2], E>::ones();
        w += Tensor::<2, shape![2, 1], E>::full(E::of(3.0));
        w *= E::of(2.0);
        let other = Param::<0, (), E>::full(E::of(4.0));
        w /= &other;
        exactly(&*w, [1.5; 4]);
        assert!(w.is_tracked());
        loss.backward();
        exactly(&w.grad().expect("w is a leaf"), [2.0; 4]);
        assert!(other.grad().is_none());
        // What is written may come from a graph; its own gradient does not flow there.
        w.zero_grad();
        w -= w.square() * other.clone().value();
        exactly(&*w, [-7.5; 4]);
        w.sum().backward();
        exactly(&w.grad().expect("w is a leaf"), [1.0; 4]);
    }
    body::<f32>();
    body::<f64>();
}
