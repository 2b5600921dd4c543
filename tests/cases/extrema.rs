//! Largest and smallest: ties, NaN, and where they stand.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;

both! {
    // tensorflow/tensorflow#4886
    fn the_first_of_several_largest_gets_the_gradient<E>() {
        let x: Tensor<1, shape![4], E> = of(&[1.0, 2.0, 2.0, 2.0]);
        let x = x.tracked();
        x.max().backward();
        exactly(&grad(&x), [0.0, 1.0, 0.0, 0.0]);
        x.zero_grad();
        x.max_axis::<0>().backward();
        exactly(&grad(&x), [0.0, 1.0, 0.0, 0.0]);
        x.zero_grad();
        (-&x).min_keepdim::<0>().sum().backward();
        exactly(&grad(&x), [0.0, -1.0, 0.0, 0.0]);

        // Along either axis of a matrix of equals.
        let x = Tensor::<2, shape![2, 3], E>::ones().tracked();
        x.max_axis::<0>().sum().backward();
        exactly(&grad(&x), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        x.zero_grad();
        x.min_axis::<1>().sum().backward();
        exactly(&grad(&x), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        // Zeros of both signs are equal.
        let x: Tensor<1, shape![2], E> = of(&[-0.0, 0.0]);
        let x = x.tracked();
        x.max().backward();
        exactly(&grad(&x), [1.0, 0.0]);
    }

    // pytorch/pytorch#56734, shader-slang/slang#6412
    fn equal_operands_share_the_gradient<E>() {
        let a: Tensor<1, shape![2], E> = of(&[2.0, 5.0]);
        let b: Tensor<1, shape![2], E> = of(&[2.0, 1.0]);
        let (a, b) = (a.tracked(), b.tracked());
        a.maximum(&b).sum().backward();
        exactly(&grad(&a), [0.5, 1.0]);
        exactly(&grad(&b), [0.5, 0.0]);
        a.zero_grad();
        b.zero_grad();
        a.minimum(&b).sum().backward();
        exactly(&grad(&a), [0.5, 0.0]);
        exactly(&grad(&b), [0.5, 1.0]);
        a.zero_grad();
        a.maximum(&a).sum().backward();
        exactly(&grad(&a), [1.0, 1.0]);
        a.minimum(&a).sum().backward();
        exactly(&grad(&a), [2.0, 2.0]);

        // NaN wins, whichever side it is on, and the shares still add up to 1.
        let a: Tensor<1, shape![3], E> = of(&[NAN, 1.0, NAN]);
        let b: Tensor<1, shape![3], E> = of(&[1.0, NAN, NAN]);
        let (a, b) = (a.tracked(), b.tracked());
        near(&a.maximum(&b), [NAN; 3]);
        near(&a.minimum(&b), [NAN; 3]);
        a.maximum(&b).sum().backward();
        exactly(&(grad(&a) + grad(&b)), [1.0; 3]);
    }

    // pytorch/pytorch#32343, #17738, #22853
    fn the_first_place_is_returned<E>() {
        let x: Tensor<1, shape![4], E> = of(&[0.0, 1.0, 1.0, 1.0]);
        assert_eq!(x.argmax(), 1);
        let x: Tensor<2, shape![2, 5], E> = of(&[2.0, 3.0, 0.0, 3.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0]);
        assert_eq!(x.argmax_axis::<1>().to_array(), [1, 1]);
        assert_eq!(x.argmax_keepdim::<1>().to_array(), [[1], [1]]);
        assert_eq!(x.argmin_axis::<1>().to_array(), [2, 0]);
        assert_eq!(x.argmax_axis::<0>().to_array(), [0, 0, 1, 0, 0]);
        let equal = Tensor::<1, shape![16], E>::full(E::of(7.0));
        assert_eq!((equal.argmax(), equal.argmin()), (0, 0));
        let x: Tensor<1, shape![4], E> = of(&[3.0, 1.0, 2.0, 1.0]);
        assert_eq!(x.argmin(), 1);
    }

    // pytorch/pytorch#7670, pytorch/xla#2419
    fn nan_is_the_largest_and_the_smallest<E>() {
        let x: Tensor<1, shape![3], E> = of(&[1.0, NAN, 3.0]);
        near(&x.max(), [NAN]);
        near(&x.min(), [NAN]);
        assert_eq!((x.argmax(), x.argmin()), (1, 1));
        let x: Tensor<1, shape![2], E> = of(&[NAN, 1.0]);
        near(&x.min(), [NAN]);
        let x = x.tracked();
        x.min().backward();
        exactly(&grad(&x), [1.0, 0.0]);
        // Nothing but infinities.
        let x = Tensor::<1, shape![3], E>::full(E::neg_infinity());
        exactly(&x.max(), [f64::NEG_INFINITY]);
        assert_eq!(x.argmax(), 0);
        let x = Tensor::<1, shape![3], E>::full(E::infinity());
        exactly(&x.min(), [f64::INFINITY]);
        assert_eq!(x.argmin(), 0);
    }
}

#[test]
fn ties_at_every_place_of_every_length() {
    fn body<const N: usize, E: Number>() {
        // The largest from `first` on, along the only axis, the last and the first of a matrix.
        for first in 0..N {
            let x: Tensor<1, shape![N], E> = by_place(|i| if i < first { 1.0 } else { 2.0 });
            let x = x.tracked();
            let one_hot: Vec<f64> = (0..N).map(|i| f64::from(i == first)).collect();
            assert_eq!(x.argmax(), first);
            x.max().backward();
            exactly(&grad(&x), &one_hot);
            x.zero_grad();
            (-&x).min().backward();
            exactly(&-grad(&x), &one_hot);

            let rows: Tensor<2, shape![2, N], E> = x.detach().broadcast_to::<shape![2, N]>();
            assert_eq!(rows.argmax_axis::<1>().to_array(), [first; 2]);
            let columns = rows.t().tracked();
            assert_eq!(columns.argmax_axis::<0>().to_array(), [first; 2]);
            columns.max_axis::<0>().sum().backward();
            let pairs: Vec<f64> = one_hot.iter().flat_map(|&v| [v, v]).collect();
            exactly(&grad(&columns), pairs);
        }
        let equal = Tensor::<1, shape![N], E>::ones();
        assert_eq!((equal.argmax(), equal.argmin()), (0, 0));
    }
    every_length!(body);
}

#[test]
fn nan_at_every_place_of_every_length() {
    fn body<const N: usize, E: Number>() {
        for place in 0..N {
            // A second NaN at the end does not win over the first.
            let nan = |i: usize| i == place || i == N - 1;
            let x: Tensor<1, shape![N], E> = by_place(|i| if nan(i) { NAN } else { i as f64 });
            assert!(x.max().item().is_nan() && x.min().item().is_nan());
            assert_eq!((x.argmax(), x.argmin()), (place, place));
            let column = x.unsqueeze::<1>();
            assert!(column.max_axis::<0>()[[0]].is_nan());
            assert_eq!(column.argmax_axis::<0>().to_array(), [place]);
        }
    }
    every_length!(body);
}
