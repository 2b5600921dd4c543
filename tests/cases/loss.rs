//! Losses: targets left out, smoothing and weights together, divergence from nothing, binary cross-entropy of
//! large logits, a smooth error without its smooth part; and the angle of a point near the origin.

use super::check::{exactly, grad, near, near_within, of, panic_text};
use shapeproof::error::IndexError;
use shapeproof::loss::CrossEntropy;
use shapeproof::prelude::*;
use std::f64::consts::LN_2;

const INF: f64 = f64::INFINITY;

type Targets<const N: usize, const C: usize> = (Indices<1, (Dim<N>,), C>, Mask<1, (Dim<N>,)>);

/// Targets of which −1 does not count.
fn targets<const N: usize, const C: usize>(values: [i64; N]) -> Targets<N, C> {
    Indices::from_slice_ignoring(&values, -1).unwrap()
}

both! {
    // pytorch/pytorch#75181, #70348, #64572
    fn every_target_is_ignored<E>() {
        let (targets, ignored) = targets::<2, 3>([-1, -1]);
        for smoothing in [0.0, 0.1, 1.0] {
            for weights in [None, Some(&[1.0, 2.0, 3.0].map(E::of))] {
                let options = CrossEntropy { weights, smoothing: E::of(smoothing), ignored: Some(&ignored) };
                let x: Tensor<2, shape![2, 3], E> = of(&[1.0, 2.0, 3.0, INF, -INF, f64::NAN]);
                let x = x.tracked();
                let sum = x.cross_entropy_with_sum(&targets, options);
                let mean = x.cross_entropy_with(&targets, options);
                let none = x.cross_entropy_with_none(&targets, options);
                exactly(&sum, [0.0]);
                exactly(&mean, [0.0]);
                exactly(&none, [0.0, 0.0]);
                // The second row is not finite before the loss, so only the first has a softmax.
                sum.backward();
                exactly(grad(&x).iter().take(3), [0.0; 3]);
                x.zero_grad();
                mean.backward();
                exactly(grad(&x).iter().take(3), [0.0; 3]);
            }
        }
    }

    // pytorch/pytorch#73205, #91383
    fn smoothing_leaves_ignored_rows_out<E>() {
        let rows = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let (all, ignored) = targets::<3, 3>([0, 1, -1]);
        let smoothing = E::of(0.1);
        let options = CrossEntropy { smoothing, ignored: Some(&ignored), ..Default::default() };
        let x: Tensor<2, shape![3, 3], E> = of(&rows);
        let x = x.tracked();
        near(&x.cross_entropy_with_sum(&all, options), [2.13622276]);
        let mean = x.cross_entropy_with(&all, options);
        near(&mean, [1.06811138]);
        mean.backward();
        let right = [
            -0.17860822, 0.08930411, 0.08930411, 0.27139178, -0.36069589, 0.08930411, 0.0, 0.0, 0.0,
        ];
        near_within(&grad(&x), right, 1e-5);

        // The same call on the two rows that count.
        let two: Tensor<2, shape![2, 3], E> = of(&rows[..6]);
        let options = CrossEntropy { smoothing, ..Default::default() };
        let (labels, _) = targets::<2, 3>([0, 1]);
        assert_eq!(two.cross_entropy_with(&labels, options).item(), mean.item());
    }

    // pytorch/pytorch#69339
    fn weights_smoothing_and_ignored_targets_together<E>() {
        let weights = [0.2, 0.3].map(E::of);
        let smoothing = E::of(0.1);
        let (both, ignored) = targets::<2, 2>([-1, 1]);
        let x: Tensor<2, shape![2, 2], E> = of(&[1.0, 2.0, 3.0, 0.4]);
        let x = x.tracked();
        let options = CrossEntropy { weights: Some(&weights), smoothing, ignored: Some(&ignored) };
        let loss = x.cross_entropy_with(&both, options);
        near(&loss, [2.54045061]);
        loss.backward();
        near_within(&grad(&x), [0.0, 0.0, 0.88201389, -0.88201389], 1e-5);
        let options = CrossEntropy { weights: Some(&weights), smoothing, ..Default::default() };
        let row: Tensor<2, shape![(Dim<1>), 2], E> = of(&[3.0, 0.4]);
        let (target, _) = targets::<1, 2>([1]);
        near(&row.cross_entropy_with(&target, options), [2.54045061]);
    }

    // huggingface/candle#2561, pytorch/pytorch#1792
    fn binary_cross_entropy_of_large_logits<E>() {
        let points = [-1000.0, -100.0, -20.0, 0.0, 20.0, 100.0, 1000.0];
        let small = 2.061153620314381e-9;
        let check = |target: f64, right: [f64; 7]| {
            let x: Tensor<1, shape![7], E> = of(&points);
            let x = x.tracked();
            let loss = x.bce_with_logits_none(&Tensor::full(E::of(target)));
            near_within(&loss.clamp_min(E::of(1e-40)), right.map(|r| r.max(1e-40)), E::RELATIVE);
            loss.sum().backward();
            near(&grad(&x), points.map(|x| 1.0 / (1.0 + (-x).exp()) - target));
        };
        check(0.0, [0.0, 3.8e-44, small, LN_2, 20.0 + small, 100.0, 1000.0]);
        check(1.0, [1000.0, 100.0, 20.0 + small, LN_2, small, 3.8e-44, 0.0]);
        check(0.25, [250.0, 25.0, 5.0 + small, LN_2, 15.0 + small, 75.0, 750.0]);
        exactly(&of::<1, shape![2], E>(&[1000.0, -1000.0]).bce_with_logits_none(&of(&[0.0, 1.0])), [1000.0; 2]);
    }

    // pytorch/pytorch#96813
    fn a_smooth_error_without_a_smooth_part<E>() {
        for (a, b, loss, slopes) in [
            ([1.0, -2.0], [1.0, -2.0], 0.0, [0.0, 0.0]),
            ([1.0, 2.0], [0.0, 4.0], 3.0, [1.0, -1.0]),
        ] {
            let x: Tensor<1, shape![2], E> = of(&a);
            let x = x.tracked();
            let sum = x.smooth_l1_sum(&of(&b), E::zero());
            exactly(&sum, [loss]);
            sum.backward();
            exactly(&grad(&x), slopes);
        }
        let x: Tensor<1, shape![2], E> = of(&[1.0, 2.0]);
        let text = panic_text(|| x.smooth_l1(&x, -E::one()));
        assert!(text.contains("a beta of -1"), "{text}");
        let text = panic_text(|| x.huber(&x, E::zero()));
        assert!(text.contains("a delta of 0"), "{text}");
    }

    // google-deepmind/optax#1786
    fn a_divergence_from_nothing<E>() {
        let x: Tensor<1, shape![4], E> = of(&[0.5, 1.0, 2.0, -1.0]);
        let x = x.tracked();
        let target = of(&[0.0, 0.4, 0.6, 0.0]);
        let loss = x.log_softmax::<0>().kl_div_sum(&target);
        near(&loss, [0.22217023]);
        loss.backward();
        near_within(&grad(&x), [0.13598892, -0.17579218, 0.00946004, 0.03034323], 2e-5);
        let masked: Tensor<1, shape![2], E> = of(&[-INF, 0.0]);
        exactly(&masked.kl_div_none(&of(&[0.0, 1.0])), [0.0, 0.0]);
    }

    // pytorch/pytorch#98276, #166787
    fn the_angle_near_the_origin<E>() {
        let y: Tensor<1, shape![2], E> = of(&[1e-13, 0.0]);
        let x: Tensor<1, shape![2], E> = of(&[5.6843e-14, 0.0]);
        let (y, x) = (y.tracked(), x.tracked());
        let angle = y.atan2(&x);
        near(&angle, [1.0539136, 0.0]);
        angle.sum().backward();
        near_within([grad(&y)[[0]], grad(&x)[[0]]], [4.29615720e12, -7.55793536e12], 1e-5);
        exactly([grad(&y)[[1]], grad(&x)[[1]]], [0.0, 0.0]);
    }
}

// pytorch/pytorch#12670
#[test]
fn a_target_out_of_range_is_refused_though_others_are_ignored() {
    for wrong in [5, 7, -4] {
        let error =
            Indices::<1, shape![3], 5>::from_slice_ignoring(&[0, -1, wrong], -1).unwrap_err();
        assert!(
            matches!(
                error,
                IndexError::OutOfBound {
                    place: 2,
                    bound: 5,
                    ..
                }
            ),
            "{error}"
        );
        assert!(error.to_string().contains(&wrong.to_string()), "{error}");
    }
    assert!(Indices::<1, shape![3], 5>::from_slice_ignoring(&[-1, -1], -1).is_err());
    // No number is below 0, so nothing can stand in for what is ignored.
    assert!(Indices::<1, shape![1], 0>::from_slice_ignoring(&[-1], -1).is_err());
}

#[test]
fn smoothing_beyond_its_range_is_refused() {
    let (targets, _) = targets::<1, 2>([0]);
    for smoothing in [-0.1, 1.1, f64::NAN] {
        let x = Tensor::<2, shape![(Dim<1>), 2], f64>::zeros();
        let options = CrossEntropy {
            smoothing,
            ..Default::default()
        };
        let text = panic_text(|| x.cross_entropy_with(&targets, options));
        assert!(text.contains("smoothing"), "{text}");
    }
}

// pytorch/pytorch#78064
#[test]
fn no_cosine_is_beyond_one() {
    let x = Tensor::<2, shape![5000, 7], f32>::randn(&mut Rng::seed(3));
    for factor in [3.0, -3.0] {
        let cosine = x.cosine_similarity::<1>(&(&x * factor));
        assert!(cosine.iter().all(|c| c.abs() <= 1.0 && c.abs() > 0.99999));
        assert!(cosine.iter().all(|c| !c.acos().is_nan()));
    }
}
