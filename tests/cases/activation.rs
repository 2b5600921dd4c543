//! Activation functions and the error function far out, near zero, and at the ends of vector registers.

use super::check::{Number, by_place, exactly, grad, near, near_within, of};
use shapeproof::prelude::*;
use std::f64::consts::LN_2;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// Values and gradients of an elementwise function at the given points.
fn at<const N: usize, E: Number>(
    x: [f64; N],
    f: impl Fn(&Tensor<1, shape![N], E>) -> Tensor<1, shape![N], E>,
) -> (Tensor<1, shape![N], E>, Tensor<1, shape![N], E>) {
    let x: Tensor<1, shape![N], E> = of(&x);
    let x = x.tracked();
    let y = f(&x);
    y.sum().backward();
    (y, grad(&x))
}

both! {
    // pytorch/pytorch#1792
    fn smooth_functions_have_their_slope_at_zero<E>() {
        // Binary cross-entropy from softplus; from relu and abs it would lose the slope at 0.
        let x = Tensor::<1, shape![2], E>::zeros().tracked();
        let y: Tensor<1, shape![2], E> = of(&[0.0, 1.0]);
        let loss = x.softplus() - &x * &y;
        near(&loss, [LN_2, LN_2]);
        loss.sum().backward();
        near(&grad(&x), [0.5, -0.5]);
        let (y, g) = at::<1, E>([0.0], |x| x.softplus());
        near(&y, [LN_2]);
        exactly(&g, [0.5]);
        let (y, g) = at::<1, E>([0.0], |x| x.log_sigmoid());
        near(&y, [-LN_2]);
        exactly(&g, [0.5]);
    }

    // huggingface/candle#2561, pytorch/pytorch#1792
    fn binary_cross_entropy_of_large_logits<E>() {
        let points = [-1000.0, -100.0, -20.0, 0.0, 20.0, 100.0, 1000.0];
        let small = 2.061153620314381e-9;
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let check = |target: f64, right: [f64; 7]| {
            // y·softplus(−x) + (1 − y)·softplus(x)
            let (loss, g) = at::<7, E>(points, |x| {
                (-x).softplus() * E::of(target) + x.softplus() * E::of(1.0 - target)
            });
            near_within(&loss.clamp_min(E::of(1e-40)), right.map(|r| r.max(1e-40)), E::RELATIVE);
            near(&g, points.map(|x| sigmoid(x) - target));
        };
        check(0.0, [0.0, 3.8e-44, small, LN_2, 20.0 + small, 100.0, 1000.0]);
        check(1.0, [1000.0, 100.0, 20.0 + small, LN_2, small, 3.8e-44, 0.0]);
        check(0.25, [250.0, 25.0, 5.0 + small, LN_2, 15.0 + small, 75.0, 750.0]);
    }

    // tracel-ai/burn#5373
    fn softplus_does_not_overflow<E>() {
        let (y, g) = at::<6, E>([-100.0, -20.0, 0.0, 20.0, 50.0, 100.0], |x| x.softplus());
        let small = 2.061153620314381e-9;
        assert!(y[[0]] >= E::zero() && y[[0]] <= E::of(3.8e-44));
        near_within(y.iter().skip(1), [small, LN_2, 20.0 + small, 50.0, 100.0], E::RELATIVE);
        assert!(g[[0]] >= E::zero() && g[[0]] <= E::of(3.8e-44));
        near_within(g.iter().skip(1), [small, 0.5, 1.0, 1.0, 1.0], E::RELATIVE);
        let (y, g) = at::<3, E>([20.0, 50.0, 100.0], |x| x.softplus_beta(E::of(5.0)));
        near(&y, [20.0, 50.0, 100.0]);
        near(&g, [1.0; 3]);
        let (y, g) = at::<3, E>([INF, -INF, NAN], |x| x.softplus());
        near(&y, [INF, 0.0, NAN]);
        near(&g, [1.0, 0.0, NAN]);
    }

    // huggingface/candle#2328, EnzymeAD/Reactant.jl#2973
    fn elu_far_out_and_near_zero<E>() {
        let (y, g) = at::<5, E>([-300.0, -1.0, -1e-8, 89.0, 300.0], |x| x.elu(E::one()));
        near_within(&y, [-1.0, -0.632120558828558, -1e-8, 89.0, 300.0], 1e-6);
        assert!(g[[0]] >= E::zero() && g[[0]] < E::of(1e-37));
        near(g.iter().skip(1), [0.367879441171442, 0.99999999, 1.0, 1.0]);
        let (y, g) = at::<3, E>([-INF, INF, -0.0], |x| x.elu(E::of(2.0)));
        exactly(&y, [-2.0, INF, 0.0]);
        exactly(&g, [0.0, 1.0, 2.0]);
    }

    // pytorch/pytorch#187293, #192318, PaddlePaddle/Paddle#79461
    fn gelu_at_the_ends<E>() {
        let max = E::max_value().to_f64().unwrap();
        let ends = [INF, -INF, NAN, max, -max];
        for f in [Tensor::gelu, Tensor::gelu_tanh, Tensor::silu] {
            let (y, g) = at::<5, E>(ends, f);
            near(&y, [INF, 0.0, NAN, max, 0.0]);
            near(&g, [1.0, 0.0, NAN, 1.0, 0.0]);
        }
        // Φ(1), by way of 1·Φ(1).
        let (y, _) = at::<1, E>([1.0], Tensor::gelu);
        near(&y, [0.8413447460685429]);
    }

    // clab/dynet#1525, jeshraghian/snntorch#433
    fn the_other_ends<E>() {
        let (y, g) = at::<3, E>([INF, -INF, NAN], Tensor::tanh);
        near(&y, [1.0, -1.0, NAN]);
        near(&g, [0.0, 0.0, NAN]);
        let (y, g) = at::<3, E>([INF, -INF, NAN], Tensor::sigmoid);
        near(&y, [1.0, 0.0, NAN]);
        near(&g, [0.0, 0.0, NAN]);
        let (y, g) = at::<2, E>([INF, -INF], Tensor::exp);
        exactly(&y, [INF, 0.0]);
        exactly(&g, [INF, 0.0]);
        let (y, g) = at::<2, E>([INF, -INF], |x| x.leaky_relu(E::of(0.5)));
        exactly(&y, [INF, -INF]);
        exactly(&g, [1.0, 0.5]);
    }
}

// clab/dynet#1525, jeshraghian/snntorch#433
#[test]
fn sigmoid_in_every_lane() {
    const POINTS: [f64; 13] = [
        -1662.7269, 3212.5393, -1093.6617, 2063.7996, 91.387436, -1471.005, 1823.1608, 1935.2911,
        0.0, -0.5, 88.0, 89.0, -125.0,
    ];
    const VALUES: [f64; 13] = [
        0.0,
        1.0,
        0.0,
        1.0,
        1.0,
        0.0,
        1.0,
        1.0,
        0.5,
        0.377540668798145,
        1.0,
        1.0,
        0.0,
    ];
    const SLOPES: [f64; 13] = [
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.25,
        0.235003712201594,
        0.0,
        0.0,
        0.0,
    ];
    fn body<const N: usize, E: Number>() {
        let x: Tensor<1, shape![N], E> = by_place(|i| POINTS[i % 13]);
        let x = x.tracked();
        let y = x.sigmoid();
        near(&y, (0..N).map(|i| VALUES[i % 13]).collect::<Vec<_>>());
        y.sum().backward();
        near(
            &grad(&x),
            (0..N).map(|i| SLOPES[i % 13]).collect::<Vec<_>>(),
        );
    }
    every_length!(body);
}

// PSU3D0/formualizer#458, sbryngelson/ANEForge#196, statrs-dev/statrs#412
#[test]
fn the_error_function_is_good_to_the_last_digits() {
    let points = [0.3, 1e-10, -1e-10];
    let values = [
        0.3286267594591274,
        1.1283791670955126e-10,
        -1.1283791670955126e-10,
    ];
    assert_eq!(Element::erf(0.0f64), 0.0);
    assert_eq!(Element::erf(0.0f32), 0.0);
    near_within(points.map(|x: f64| Element::erf(x)), values, 1e-14);
    near_within(points.map(|x| Element::erf(x as f32)), values, 1e-6);
    let phi = |x: f64| 0.5 * (1.0 + Element::erf(x / 2f64.sqrt()));
    near_within([phi(1.0)], [0.8413447460685429], 1e-14);
    // As operations, with their slopes.
    fn operation<E: Number>(relative: f64) {
        let points = [0.0, 0.3, 1e-10, -1e-10, 0.5f64.sqrt()];
        let values = [
            0.0,
            0.3286267594591274,
            1.1283791670955126e-10,
            -1.1283791670955126e-10,
            2.0 * 0.8413447460685429 - 1.0,
        ];
        let (y, g) = at::<5, E>(points, Tensor::erf);
        near_within(&y, values, relative);
        let bell = |x: f64| std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp();
        near_within(&g, points.map(bell), relative);
        let (y, g) = at::<5, E>(points, Tensor::erfc);
        near_within(&y, values.map(|v| 1.0 - v), relative);
        near_within(&g, points.map(|x| -bell(x)), relative);
    }
    operation::<f64>(1e-14);
    operation::<f32>(1e-6);
    // Far out, where 1 − erf would be 0.
    near_within([Element::erfc(10.0f64)], [2.088487583762545e-45], 1e-13);
    near_within([Element::erfc(5.0f32)], [1.537459794428035e-12], 1e-6);
}
