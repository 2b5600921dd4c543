//! NaN passes through what limits numbers; at a bound the gradient passes too.

use super::check::{Number, by_place, exactly, grad, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;

both! {
    // tracel-ai/burn#5609, apache/mxnet#11115
    fn nan_stays_nan<E>() {
        let x: Tensor<1, shape![3], E> = of(&[NAN, -1.0, 2.0]);
        let x = x.tracked();
        let check = |y: Tensor<1, shape![3], E>, right: [f64; 3], slope: [f64; 3]| {
            super::check::near(&y, right);
            y.sum().backward();
            // Documented: NaN passes the gradient on, in all of these.
            exactly(&grad(&x), slope);
            x.zero_grad();
        };
        let (zero, one) = (E::zero(), E::one());
        check(x.relu(), [NAN, 0.0, 2.0], [1.0, 0.0, 1.0]);
        check(x.clamp_min(zero), [NAN, 0.0, 2.0], [1.0, 0.0, 1.0]);
        check(x.clamp_max(zero), [NAN, -1.0, 0.0], [1.0, 1.0, 0.0]);
        check(x.clamp(zero, one), [NAN, 0.0, 1.0], [1.0, 0.0, 0.0]);
        let nan = Tensor::<1, shape![1], E>::full(E::nan());
        assert!(nan.clamp_min(zero)[[0]].is_nan());
        assert!(nan.clamp_max(zero)[[0]].is_nan());
        assert!(nan.clamp(zero, one)[[0]].is_nan());
        assert!(nan.leaky_relu(E::of(0.1))[[0]].is_nan());
        assert!(nan.elu(one)[[0]].is_nan());
        for activation in [nan.gelu(), nan.gelu_tanh(), nan.silu(), nan.softplus(), nan.sigmoid(), nan.tanh(), nan.abs()] {
            assert!(activation[[0]].is_nan());
        }
    }

    // pytorch/pytorch#7002, tensorflow/tfjs-core#1076
    fn at_a_bound_the_gradient_passes<E>() {
        let x: Tensor<1, shape![5], E> = of(&[-0.5, 0.0, 0.5, 1.0, 1.5]);
        let x = x.tracked();
        let (zero, one) = (E::zero(), E::one());
        let check = |y: Tensor<1, shape![5], E>, right: [f64; 5], slope: [f64; 5]| {
            exactly(&y, right);
            y.sum().backward();
            exactly(&grad(&x), slope);
            x.zero_grad();
        };
        check(x.clamp(zero, one), [0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0, 0.0]);
        check(x.clamp_min(zero), [0.0, 0.0, 0.5, 1.0, 1.5], [0.0, 1.0, 1.0, 1.0, 1.0]);
        check(x.clamp_max(one), [-0.5, 0.0, 0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 0.0]);
        // Documented: where low > high, every number becomes high.
        check(x.clamp(one, zero), [0.0; 5], [0.0; 5]);
        // Infinite bounds bound nothing.
        check(
            x.clamp(E::neg_infinity(), E::infinity()),
            [-0.5, 0.0, 0.5, 1.0, 1.5],
            [1.0; 5],
        );
        let far: Tensor<1, shape![2], E> = of(&[f64::INFINITY, f64::NEG_INFINITY]);
        exactly(&far.clamp(zero, one), [1.0, 0.0]);
    }
}

#[test]
fn nan_passes_at_every_place_of_every_length() {
    fn body<const N: usize, E: Number>() {
        for place in 0..N {
            let x: Tensor<1, shape![N], E> = by_place(|i| if i == place { NAN } else { -1.0 });
            let relu = x.relu();
            let clamp = x.clamp(E::zero(), E::one());
            for (i, (relu, clamp)) in relu.iter().zip(&clamp).enumerate() {
                assert_eq!(relu.is_nan(), i == place);
                assert_eq!(clamp.is_nan(), i == place);
            }
        }
    }
    every_length!(body);
}
