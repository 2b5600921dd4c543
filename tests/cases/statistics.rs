//! Variance and standard deviation: constants, offsets, single elements.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;

both! {
    // jax-ml/jax#11716
    fn of_a_constant_and_its_slope<E>() {
        let x = Tensor::<1, shape![2], E>::ones().tracked();
        for correction in [0, 1] {
            let (var, std) = (x.var(correction), x.std(correction));
            exactly(&var, [0.0]);
            exactly(&std, [0.0]);
            var.backward();
            exactly(&grad(&x), [0.0, 0.0]);
            // Documented: the subgradient of minimum norm.
            std.backward();
            exactly(&grad(&x), [0.0, 0.0]);
        }
        let x: Tensor<1, shape![3], E> = of(&[1.0, 2.0, 4.0]);
        let x = x.tracked();
        let var = x.var(1);
        near(&var, [7.0 / 3.0]);
        var.backward();
        near(&grad(&x), [-4.0 / 3.0, -1.0 / 3.0, 5.0 / 3.0]);
        x.zero_grad();
        let std = x.std(1);
        near(&std, [(7f64 / 3.0).sqrt()]);
        std.backward();
        near(&grad(&x), [-0.436435780471985, -0.109108945117996, 0.545544725589981]);
    }

    // data-apis/array-api#334, gonum/gonum#1568
    fn of_one_element<E>() {
        let x: Tensor<1, shape![1], E> = of(&[42.0]);
        let x = x.tracked();
        exactly(&x.var(0), [0.0]);
        exactly(&x.std(0), [0.0]);
        x.var(0).backward();
        x.std(0).backward();
        exactly(&grad(&x), [0.0]);
        near(&x.var(1), [NAN]);
        near(&x.std(1), [NAN]);
        x.zero_grad();
        x.var(1).backward();
        near(&grad(&x), [NAN]);
        // No degrees of freedom, or fewer.
        x.zero_grad();
        near(&x.var(3), [NAN]);
        x.var(3).backward();
        near(&grad(&x), [NAN]);

        let x: Tensor<2, shape![3, 1], E> = of(&[1.0, 2.0, 3.0]);
        exactly(&x.var_axis::<1>(0), [0.0; 3]);
        exactly(&x.std_keepdim::<1>(0), [0.0; 3]);
        near(&x.var_axis::<1>(1), [NAN; 3]);
        near(&x.std_axis::<1>(1), [NAN; 3]);
    }
}

// solvcon/solvcon#1522, dimforge/nalgebra#1236
#[test]
fn a_large_common_offset_does_no_harm() {
    fn body<E: Number>(offset: f64) {
        let x: Tensor<1, shape![3], E> = of(&[offset, offset + 1.0, offset + 2.0]);
        near(&x.var(0), [2.0 / 3.0]);
        near(&x.var(1), [1.0]);
        near(&x.std(0), [(2f64 / 3.0).sqrt()]);
        near(&x.std(1), [1.0]);
        // Over the first and over the last axis.
        let matrix = x.broadcast_to::<shape![4, 3]>();
        near(&matrix.var_axis::<1>(1), [1.0; 4]);
        near(&matrix.t().var_axis::<0>(1), [1.0; 4]);
        let x = x.tracked();
        x.var(0).backward();
        let third = 2.0 / 3.0;
        near(&grad(&x), [-third, 0.0, third]);
        // A mean that is no number of this size: the slopes are exact all the same.
        let x: Tensor<1, shape![3], E> = of(&[offset, offset + 1.0, offset + 1.0]);
        let x = x.tracked();
        x.var(0).backward();
        near(&grad(&x), [-4.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0]);
        x.zero_grad();
        x.std(1).backward();
        let third = 1.0 / 3f64.sqrt();
        near(&grad(&x), [-third, third / 2.0, third / 2.0]);
    }
    body::<f64>(1e9);
    body::<f64>(-1e9);
    body::<f32>(1e6);
    body::<f32>(-1e6);
}

#[test]
fn a_constant_has_variance_zero_at_every_length() {
    fn body<const N: usize, E: Number>() {
        for value in [0.1, -1e6, 12345.678] {
            let x = Tensor::<1, shape![N], E>::full(E::of(value));
            exactly(&x.var(0), [0.0]);
            exactly(&x.std(0), [0.0]);
            let columns = x.unsqueeze::<1>().broadcast_to::<shape![N, 3]>();
            exactly(&columns.var_axis::<0>(0), [0.0; 3]);
            exactly(&columns.t().std_axis::<1>(0), [0.0; 3]);
        }
    }
    every_length!(body);
}

/// A moment with the mean is both, in every form, with both gradients.
#[test]
fn moments_with_the_mean() {
    let x = by_place::<3, shape![2, 3, 4], f64>(|i| (i * 7919 % 31) as f64 - 15.0);
    macro_rules! same {
        ($($both:expr, $moment:expr, $mean:expr;)*) => {$({
            let ([moment, mean], right) = ($both, ($moment, $mean));
            assert_eq!((moment.to_vec(), mean.to_vec()), (right.0.to_vec(), right.1.to_vec()));
        })*};
    }
    same! {
        x.var_mean(1), x.var(1), x.mean();
        x.std_mean(0), x.std(0), x.mean();
        x.var_mean_axis::<1>(1), x.var_axis::<1>(1), x.mean_axis::<1>();
        x.std_mean_keepdim::<2>(0), x.std_keepdim::<2>(0), x.mean_keepdim::<2>();
        x.var_mean_axes::<axes![0, 2]>(1), x.var_axes::<axes![0, 2]>(1), x.mean_axes::<axes![0, 2]>();
        x.std_mean_axes_keepdim::<axes![0, 1]>(1), x.std_axes_keepdim::<axes![0, 1]>(1), x.mean_axes_keepdim::<axes![0, 1]>();
    }
    let x = x.tracked();
    let [variance, mean] = x.var_mean(1);
    (variance + mean).backward();
    let both = grad(&x);
    x.zero_grad();
    (x.var(1) + x.mean()).backward();
    assert_eq!(both, grad(&x));
}
