//! Cross-entropy: large logits, masked classes, labels from outside, microbatches, zero targets.

use super::check::{Number, exactly, grad, near, near_within, of};
use shapeproof::error::IndexError;
use shapeproof::loss::CrossEntropy;
use shapeproof::prelude::*;
use std::f64::consts::LN_2;

const INF: f64 = f64::INFINITY;

fn target<const C: usize>(class: usize) -> Indices<0, (), C> {
    Indices::from_slice(&[class]).unwrap()
}

both! {
    // FluxML/NNlib.jl#68
    fn logits_hundreds_apart<E>() {
        let x: Tensor<1, shape![3], E> = of(&[-431.0, 279.0, 427.0]);
        let x = x.tracked();
        let loss = x.cross_entropy(&target::<3>(0));
        near(&loss, [858.0]);
        loss.backward();
        let g = grad(&x);
        exactly([g[[0]], g[[2]]], [-1.0, 1.0]);
        let middle = E::of((-148f64).exp());
        near_within([g[[1]]], [middle.to_f64().unwrap()], E::RELATIVE);
    }

    // pytorch/pytorch#11752
    fn equal_logits_of_a_hundred_million<E>() {
        let x: Tensor<1, shape![2], E> = of(&[1e8, 1e8]);
        let x = x.tracked();
        let loss = x.cross_entropy(&target::<2>(1));
        near(&loss, [LN_2]);
        loss.backward();
        exactly(&grad(&x), [0.5, -0.5]);
        near(&x.log_softmax::<0>(), [-LN_2, -LN_2]);
    }

    // google-deepmind/optax#1762, #896
    fn a_class_of_minus_infinity<E>() {
        let x: Tensor<1, shape![3], E> = of(&[-INF, 0.0, 0.0]);
        let x = x.tracked();
        let loss = x.cross_entropy(&target::<3>(1));
        near(&loss, [LN_2]);
        loss.backward();
        exactly(&grad(&x), [0.0, -0.5, 0.5]);
        x.zero_grad();
        exactly(&x.cross_entropy(&target::<3>(0)), [INF]);

        // The same from its parts: picked, and by a one-hot vector.
        let picked = -x.log_softmax::<0>().gather::<0>(&Indices::<1, shape![1], 3>::from_array([1]).unwrap());
        near(&picked, [LN_2]);
        picked.sum().backward();
        exactly(&grad(&x), [0.0, -0.5, 0.5]);
        x.zero_grad();
        let one_hot = target::<3>(1).one_hot::<E>();
        let zero = Tensor::<0, (), E>::zeros();
        let chosen = -one_hot.gt(E::zero()).select(&x.log_softmax::<0>(), &zero).sum();
        near(&chosen, [LN_2]);
        chosen.backward();
        exactly(&grad(&x), [0.0, -0.5, 0.5]);
    }

    // ml-explore/mlx-lm#1413, karpathy/nanochat#400
    fn microbatches_add_up_by_their_sums<E>() {
        let logits: Tensor<2, shape![4, 2], E> = of(&[2.0, 0.0, 0.0, 1.0, 1.0, 1.0, -1.0, 2.0]);
        let labels = [0usize, 0, 1, 1];
        let w = Param::<0, (), E>::ones();
        let all = Indices::<1, shape![4], 2>::from_array(labels).unwrap();
        let full = (&logits * &w).cross_entropy(&all);
        near(&full, [0.545481056]);
        full.backward();
        near(&grad(&w), [0.0875937828]);
        w.zero_grad();

        let first: Tensor<2, shape![1, 2], E> = of(&[2.0, 0.0]);
        let rest: Tensor<2, shape![3, 2], E> = of(&[0.0, 1.0, 1.0, 1.0, -1.0, 2.0]);
        let one = Indices::<1, shape![1], 2>::from_array([0]).unwrap();
        let three = Indices::<1, shape![3], 2>::from_array([0, 1, 1]).unwrap();
        let sums = [
            (&first * &w).cross_entropy(&one),
            (&rest * &w).cross_entropy(&three) * E::of(3.0),
        ];
        let rows = [0.126928011, 1.313261688, LN_2, 0.048587352];
        near(&sums[0], [rows[0]]);
        near(&sums[1], [rows[1] + rows[2] + rows[3]]);
        for sum in &sums {
            (sum / E::of(4.0)).backward();
        }
        near(&grad(&w), [0.0875937828]);
    }

    // google-deepmind/optax#1786
    fn a_target_of_zero_probability<E>() {
        let x: Tensor<1, shape![4], E> = of(&[0.5, 1.0, 2.0, -1.0]);
        let t: Tensor<1, shape![4], E> = of(&[0.0, 0.4, 0.6, 0.0]);
        let x = x.tracked();
        let positive = t.gt(E::zero());
        let zero = Tensor::<0, (), E>::zeros();
        // Σ t·(ln t − p), where t·ln t is 0 at t = 0.
        let entropy = positive.select(&(&t * t.ln()), &zero).sum();
        let loss = &entropy - (&t * x.log_softmax::<0>()).sum();
        near(&loss, [0.22217023]);
        loss.backward();
        near_digits(&grad(&x), [0.13598892, -0.17579218, 0.00946004, 0.03034323]);

        // A prediction of probability 0 where the target is 0 too.
        let x: Tensor<1, shape![4], E> = of(&[-INF, 1.0, 2.0, -1.0]);
        let x = x.tracked();
        let loss = &entropy - positive.select(&(&t * x.log_softmax::<0>()), &zero).sum();
        assert!(loss.item().is_finite());
        loss.backward();
        let g = grad(&x);
        assert!(g.iter().all(|g| g.is_finite()), "{g}");
        exactly([g[[0]]], [0.0]);
    }
}

/// As many digits as the right numbers have.
#[track_caller]
fn near_digits<const R: usize, S: Shape<R>, E: Number>(
    got: &Tensor<R, S, E>,
    right: impl AsRef<[f64]>,
) {
    for (got, right) in got.iter().zip(right.as_ref()) {
        let got = got.to_f64().unwrap();
        assert!(
            (got - right).abs() <= E::ABSOLUTE.max(6e-9),
            "{got} is not {right}"
        );
    }
}

// pytorch/pytorch#12670
#[test]
fn a_class_out_of_range_is_refused_by_name() {
    for (labels, value, place) in [
        ([0, 5, 1], "5", 1),
        ([7, 0, 1], "7", 0),
        ([0, 1, -4], "-4", 2),
    ] {
        let error = Indices::<1, shape![3], 5>::from_slice(&labels).unwrap_err();
        let right = IndexError::OutOfBound {
            value: value.to_string(),
            place,
            bound: 5,
        };
        assert_eq!(error, right);
        assert_eq!(
            error.to_string(),
            format!("index {value} at place {place} is not in 0..5")
        );
    }
}

/// Every number of classes and every target, equal logits at any height: ln C, and 1/C − one-hot.
#[test]
fn every_class_of_every_number_of_classes() {
    fn body<const C: usize, E: Number>() {
        let right = (C as f64).ln();
        for height in [0.0, 1e4, -1e4] {
            let x: Tensor<2, shape![C, C], E> = Tensor::full(E::of(height)).tracked();
            let all = Indices::<1, shape![C], C>::from_vec((0..C).collect()).unwrap();
            let loss = x.cross_entropy(&all);
            near(&loss, [right]);
            loss.backward();
            let c = C as f64;
            let slope = |i: usize| (1.0 / c - f64::from(i % C == i / C)) / c;
            near(&grad(&x), (0..C * C).map(slope).collect::<Vec<_>>());
        }
    }
    every_length!(body);
}

/// What is ignored gets a gradient of zero whatever its scores are: nothing but −∞, NaN, or numbers.
#[test]
fn ignored_scores_that_are_no_numbers() {
    fn body<E: Number>() {
        let nothing = -INF;
        let values = [nothing, nothing, nothing, f64::NAN, 1.0, 2.0, 0.0, 0.0, 0.0];
        let x: Tensor<2, shape![3, 3], E> = of(&values);
        let x = x.tracked();
        let labels = Indices::<1, shape![3], 3>::from_array([0, 1, 2]).unwrap();
        let ignored = Mask::<1, shape![3]>::from_array([true, true, false]);
        for smoothing in [0.0, 0.3] {
            let options = CrossEntropy {
                smoothing: E::of(smoothing),
                ignored: Some(&ignored),
                ..Default::default()
            };
            let loss = x.cross_entropy_with(&labels, options);
            near(&loss, [3f64.ln()]);
            loss.backward();
            let (third, part) = (1.0 / 3.0, smoothing / 3.0);
            let slope = [third - part, third - part, third - part - (1.0 - smoothing)];
            near(&grad(&x), [&[0.0; 6][..], &slope].concat());
            x.zero_grad();
        }
        // Along the other axis, from its parts.
        let scores = x.t().detach().tracked();
        let picked = scores.log_softmax::<0>().select::<1, 2>().sum();
        near(&picked, [-3.0 * 3f64.ln()]);
        picked.backward();
        near(&grad(&scores), [0.0; 9]);
    }
    body::<f32>();
    body::<f64>();
}
