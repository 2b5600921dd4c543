//! Powers and roots at zero, of negative numbers, and far out.

use super::check::{exactly, grad, near, near_within, of};
use shapeproof::prelude::*;

both! {
    // pytorch/pytorch#27134
    fn the_exponent_has_gradient_zero_at_base_zero<E>() {
        let a: Tensor<1, shape![2], E> = of(&[0.0, 2.0]);
        let (a, b) = (a.tracked(), Tensor::<1, shape![2], E>::ones().tracked());
        a.pow(&b).sum().backward();
        near(&grad(&b), [0.0, 2.0 * std::f64::consts::LN_2]);
        near(&grad(&a), [1.0, 1.0]);

        // Zero to zero is one, whatever moves.
        let a = Tensor::<0, (), E>::zeros().tracked();
        let b = Tensor::<0, (), E>::zeros().tracked();
        let y = a.pow(&b);
        exactly(&y, [1.0]);
        y.backward();
        exactly(&grad(&a), [0.0]);
        exactly(&grad(&b), [0.0]);
    }

    // tensorflow/tfjs#346, tinygrad/tinygrad#155
    fn zero_and_negative_bases<E>() {
        let base: Tensor<1, shape![3], E> = of(&[0.0, -2.0, -3.0]);
        let exponent: Tensor<1, shape![3], E> = of(&[2.0, 2.0, 3.0]);
        for tracked in [false, true] {
            let base = base.clone().tracked();
            let exponent = if tracked { exponent.clone().tracked() } else { exponent.clone() };
            let y = base.pow(&exponent);
            near(&y, [0.0, 4.0, -27.0]);
            y.sum().backward();
            near(&grad(&base), [0.0, -4.0, 27.0]);
            if tracked {
                let g = grad(&exponent).to_array();
                assert_eq!(g[0], E::zero());
                // Documented: NaN, and confined to the exponent.
                assert!(g[1].is_nan() && g[2].is_nan());
            }
        }
        // A constant exponent.
        let x: Tensor<1, shape![4], E> = of(&[0.0, -2.0, -3.0, 2.0]);
        let x = x.tracked();
        for y in [x.powi(2), x.powf(E::of(2.0)), x.square()] {
            near(&y, [0.0, 4.0, 9.0, 4.0]);
            y.sum().backward();
            near(&grad(&x), [0.0, -4.0, -6.0, 4.0]);
            x.zero_grad();
        }
        for y in [x.powi(3), x.powf(E::of(3.0))] {
            near(&y, [0.0, -8.0, -27.0, 8.0]);
            y.sum().backward();
            near(&grad(&x), [0.0, 12.0, 27.0, 12.0]);
            x.zero_grad();
        }
        for y in [x.powi(0), x.powf(E::zero())] {
            exactly(&y, [1.0; 4]);
            y.sum().backward();
            exactly(&grad(&x), [0.0; 4]);
            x.zero_grad();
        }
        for y in [x.powi(1), x.powf(E::one())] {
            exactly(&y, [0.0, -2.0, -3.0, 2.0]);
            y.sum().backward();
            exactly(&grad(&x), [1.0; 4]);
            x.zero_grad();
        }
        // A root of a negative number is NaN in its own place.
        near(&x.powf(E::of(0.5)), [0.0, f64::NAN, f64::NAN, 2f64.sqrt()]);
        near(&x.powi(-1), [f64::INFINITY, -0.5, -1.0 / 3.0, 0.5]);
    }

    // pytorch/pytorch#2421, HIPS/autograd#151
    fn a_norm_away_from_zero<E>() {
        let x: Tensor<1, shape![2], E> = of(&[3.0, 4.0]);
        let x = x.tracked();
        let norm = x.square().sum().sqrt();
        near(&norm, [5.0]);
        norm.backward();
        near(&grad(&x), [0.6, 0.8]);
    }

    // Documented at `sqrt`: guard the number, not the root.
    fn a_norm_at_zero_is_guarded_inside_the_root<E>() {
        let x = Tensor::<1, shape![3], E>::zeros().tracked();
        let squares = x.square().sum();
        let bare = squares.sqrt();
        exactly(&bare, [0.0]);
        bare.backward_retaining();
        near(&grad(&x), [f64::NAN; 3]);
        x.zero_grad();
        let positive = squares.gt(E::zero());
        let guarded = positive.select(&squares, &Tensor::scalar(E::one())).sqrt();
        let norm = positive.select(&guarded, &Tensor::scalar(E::zero()));
        exactly(&norm, [0.0]);
        norm.backward();
        exactly(&grad(&x), [0.0; 3]);
    }

    // tinygrad/tinygrad#12409
    fn a_power_of_one_and_a_half_at_zero<E>() {
        let x: Tensor<1, shape![2], E> = of(&[0.0, 4.0]);
        let x = x.tracked();
        let y = x.powf(E::of(1.5));
        near(&y, [0.0, 8.0]);
        y.sum().backward();
        near(&grad(&x), [0.0, 3.0]);
        x.zero_grad();
        // As a product with a root, whose slope at 0 is infinite: documented as NaN.
        let y = &x * x.sqrt();
        near(&y, [0.0, 8.0]);
        y.sum().backward();
        near(&grad(&x), [f64::NAN, 3.0]);
        x.zero_grad();
        let exponent = Tensor::<0, (), E>::scalar(E::of(1.5));
        x.pow(&exponent).sum().backward();
        near(&grad(&x), [0.0, 3.0]);
    }

    // Quotients whose square would overflow or vanish.
    fn quotients_far_out<E>() {
        let tiny = E::min_positive_value().to_f64().unwrap() * 4.0;
        let x: Tensor<1, shape![2], E> = of(&[tiny, 1.0]);
        let (x, y) = (x.clone().tracked(), x.tracked());
        let q = &x / &y;
        exactly(&q, [1.0, 1.0]);
        (q * E::of(tiny)).sum().backward();
        near(&grad(&y), [-1.0, -tiny]);
        near(&grad(&x), [1.0, tiny]);
        // The square of 1/x overflows, what it is multiplied with is as small; and the other way round.
        let far = if E::epsilon() > E::of(1e-10) { 1e25 } else { 1e200 };
        let x: Tensor<1, shape![2], E> = of(&[1.0 / far, far]);
        let x = x.tracked();
        let seed: Tensor<1, shape![2], E> = of(&[1.0 / far, far]);
        x.recip().backward_with(&seed);
        near_within(&grad(&x), [-far, -1.0 / far], E::RELATIVE);
        x.zero_grad();
        (-x.recip()).backward_with(&seed);
        near_within(&grad(&x), [far, 1.0 / far], E::RELATIVE);
        x.zero_grad();
        x.rsqrt().backward_with(&seed);
        let root = far.sqrt();
        near_within(&grad(&x), [-0.5 * root, -0.5 / root], E::RELATIVE);
    }

    // pytorch/pytorch#2421, #65599, HIPS/autograd#151
    fn the_norm_of_zeros_has_slope_zero<E>() {
        let two = E::of(2.0);
        let x: Tensor<1, shape![3], E> = Tensor::zeros().tracked();
        let m: Tensor<2, shape![3, 3], E> = Tensor::zeros().tracked();
        let norms = [
            x.norm(two),
            x.norm_axis::<0>(two),
            x.norm_keepdim::<0>(two).sum(),
            m.norm(two),
            m.norm_axis::<1>(two).sum(),
        ];
        for norm in norms {
            exactly(&norm, [0.0]);
            norm.backward();
        }
        exactly(&grad(&x), [0.0; 3]);
        exactly(&grad(&m), [0.0; 9]);
        let x: Tensor<1, shape![2], E> = of(&[3.0, 4.0]);
        let x = x.tracked();
        let norm = x.norm(two);
        near(&norm, [5.0]);
        norm.backward();
        near(&grad(&x), [0.6, 0.8]);
        // Neither end of the range leaves it on the way.
        for far in [E::max_value(), E::min_positive_value()] {
            let far = far.to_f64().unwrap() / 8.0 * 16f64.powi(i32::from(far < E::one()));
            let x: Tensor<1, shape![2], E> = of(&[3.0 * far, -4.0 * far]);
            let x = x.tracked();
            let norm = x.norm(two);
            near_within(&norm, [5.0 * far], E::RELATIVE);
            norm.backward();
            near(&grad(&x), [0.6, -0.8]);
        }
    }

    // pytorch/pytorch#98276, #166787
    fn angles_at_and_near_the_origin<E>() {
        let slopes = |y: f64, x: f64| {
            let y = Tensor::<0, (), E>::scalar(E::of(y)).tracked();
            let x = Tensor::<0, (), E>::scalar(E::of(x)).tracked();
            let angle = y.atan2(&x);
            angle.backward();
            [angle, grad(&y), grad(&x)].map(|v| v.item())
        };
        // Documented: 0.
        exactly(slopes(0.0, 0.0), [0.0, 0.0, 0.0]);
        near_within(
            slopes(1e-13, 5.6843e-14),
            [1.0539136, 4.29615720e12, -7.55793536e12],
            E::RELATIVE,
        );
        near_within(slopes(0.0, -1.0), [std::f64::consts::PI, -1.0, 0.0], E::RELATIVE);
        near_within(slopes(-1.0, 0.0), [-std::f64::consts::FRAC_PI_2, 0.0, 1.0], E::RELATIVE);
    }
}
