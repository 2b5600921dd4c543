//! Softmax, its logarithm and log-sum-exp with infinities, and attention by masks.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

both! {
    // jax-ml/jax#6811, pytorch/pytorch#31829, rmcgibbo/logsumexp#2
    fn logsumexp_of_minus_infinities<E>() {
        let x: Tensor<1, shape![2], E> = of(&[-INF, -INF]);
        let x = x.tracked();
        let y = x.logsumexp();
        exactly(&y, [-INF]);
        y.backward();
        // Documented: 0.
        exactly(&grad(&x), [0.0, 0.0]);
        let x: Tensor<1, shape![2], E> = of(&[-INF, 1.0]);
        let x = x.tracked();
        let y = x.logsumexp();
        exactly(&y, [1.0]);
        y.backward();
        exactly(&grad(&x), [0.0, 1.0]);
        // Line by line.
        let x: Tensor<2, shape![2, 2], E> = of(&[-INF, -INF, 0.0, 0.0]);
        let x = x.tracked();
        let y = x.logsumexp_axis::<1>();
        near(&y, [-INF, std::f64::consts::LN_2]);
        y.sum().backward();
        near(&grad(&x), [0.0, 0.0, 0.5, 0.5]);
        x.zero_grad();
        let y = x.t().logsumexp_keepdim::<0>();
        near(&y, [-INF, std::f64::consts::LN_2]);
        y.sum().backward();
        near(&grad(&x), [0.0, 0.0, 0.5, 0.5]);
        exactly(&of::<1, shape![2], E>(&[INF, 0.0]).logsumexp(), [INF]);
    }

    fn softmax_of_infinities<E>() {
        // Documented: a line of nothing but −∞ is NaN. Other lines are not touched by it.
        let x: Tensor<2, shape![3, 2], E> = of(&[-INF, -INF, 1000.0, 1000.0, -INF, 3.0]);
        near(&x.softmax::<1>(), [NAN, NAN, 0.5, 0.5, 0.0, 1.0]);
        let ln_half = -std::f64::consts::LN_2;
        near(&x.log_softmax::<1>(), [NAN, NAN, ln_half, ln_half, -INF, 0.0]);
    }

    // tracel-ai/burn#4697, pytorch/pytorch#131060, robertknight/rten#1321
    fn attention_with_a_row_that_sees_nothing<E>() {
        let q: Tensor<2, shape![3, 2], E> = of(&[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let k: Tensor<2, shape![3, 2], E> = of(&[1.0, 0.0, 0.0, 1.0, 1.0, -1.0]);
        let v: Tensor<2, shape![3, 2], E> = by_place(|i| i as f64 + 1.0);
        let (q, k, v) = (q.tracked(), k.tracked(), v.tracked());
        let allowed = Mask::<2, shape![3, 3]>::from_array([
            [true, true, false],
            [false, false, false],
            [true, true, true],
        ]);
        let sees = Mask::<2, shape![3, 1]>::from_array([[true], [false], [true]]);
        let scores = q.matmul_t(&k) * E::of(0.5f64.sqrt());
        let hidden = Tensor::scalar(E::neg_infinity());
        let bare = allowed.select(&scores, &hidden).softmax::<1>();
        let weights = sees.broadcast_to::<shape![3, 3]>().select(&bare, &Tensor::scalar(E::zero()));
        near(&weights, [
            0.66976155, 0.33023845, 0.0, 0.0, 0.0, 0.0, 0.401112093, 0.401112093, 0.197775813,
        ].map(|w: f64| w));
        let output = weights.matmul(&v);
        close(&output, [1.6604769, 2.6604769, 0.0, 0.0, 2.59332744, 3.59332744]);
        output.sum().backward();
        close(&grad(&v), [
            1.07087364, 1.07087364, 0.73135054, 0.73135054, 0.19777581, 0.19777581,
        ]);
        close(&grad(&q), [-0.62559439, 0.62559439, 0.0, 0.0, -0.23068833, -0.44245134]);
        assert!(grad(&k).iter().all(|g| g.is_finite()));
    }
}

/// Within half a unit of the eighth decimal, which is all that the right numbers have.
#[track_caller]
fn close<const R: usize, S: Shape<R>, E: Number>(got: &Tensor<R, S, E>, right: impl AsRef<[f64]>) {
    for (got, right) in got.iter().zip(right.as_ref()) {
        let bound = E::RELATIVE.max(1e-8) * right.abs().max(1.0);
        assert!(
            (got.to_f64().unwrap() - right).abs() <= bound,
            "{got} is not {right}"
        );
    }
}

#[test]
fn one_finite_number_at_every_place_of_every_length() {
    fn body<const N: usize, E: Number>() {
        let all: Tensor<1, shape![N], E> = Tensor::full(E::neg_infinity()).tracked();
        let y = all.logsumexp();
        exactly(&y, [-INF]);
        y.backward();
        exactly(&grad(&all), [0.0; N]);
        for place in 0..N {
            let one_hot: Vec<f64> = (0..N).map(|i| f64::from(i == place)).collect();
            let x: Tensor<1, shape![N], E> = by_place(|i| if i == place { 2.5 } else { -INF });
            let x = x.tracked();
            let y = x.logsumexp();
            exactly(&y, [2.5]);
            y.backward();
            exactly(&grad(&x), &one_hot);
            exactly(&x.softmax::<0>(), &one_hot);
            let logs: Vec<f64> = one_hot.iter().map(|v| v.ln()).collect();
            exactly(&x.log_softmax::<0>(), logs);
        }
    }
    every_length!(body);
}
