//! Entries in order: the right ones, equal ones as they stand, and gradients that go back to them.

use super::check::{Number, by_place, exactly, grad, of};
use shapeproof::prelude::*;

both! {
    // ml-explore/mlx#1428
    fn gradients_of_the_largest_two<E>() {
        let x: Tensor<2, shape![2, 5], E> = of(&[1.0, 2.0, 6.0, 4.0, 5.0, 9.0, 5.0, 6.0, 7.0, 8.0]);
        let x = x.tracked();
        let (values, at) = x.topk::<1, 2>();
        exactly(&values, [6.0, 5.0, 9.0, 8.0]);
        assert_eq!(at.to_array(), [[2, 4], [0, 4]]);
        let sum = values.sum();
        exactly(&sum, [28.0]);
        sum.backward();
        exactly(&grad(&x), [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        // Along the other axis.
        x.zero_grad();
        x.t().topk::<0, 2>().0.sum().backward();
        exactly(&grad(&x), [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }

    // pytorch/pytorch#32343, pytorch/pytorch#17738
    fn the_first_of_equals_comes_first<E>() {
        let x = Tensor::<1, shape![70], E>::ones();
        let all: Vec<usize> = (0..70).collect();
        assert_eq!(x.argsort::<0>().as_slice(), all);
        assert_eq!(x.argsort_descending::<0>().as_slice(), all);
        assert_eq!(x.topk::<0, 9>().1.as_slice(), &all[..9]);
        assert_eq!(x.topk_smallest::<0, 60>().1.as_slice(), &all[..60]);
    }

    fn nan_and_infinities_have_their_places<E>() {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        let x: Tensor<1, shape![6], E> = of(&[1.0, f64::NAN, high, low, f64::NAN, -1.0]);
        assert_eq!(x.argsort::<0>().to_array(), [3, 5, 0, 2, 1, 4]);
        assert_eq!(x.argsort_descending::<0>().to_array(), [1, 4, 2, 0, 5, 3]);
        assert_eq!(x.topk::<0, 3>().1.to_array(), [1, 4, 2]);
        assert_eq!(x.unique().len(), 6);
    }
}

/// Sorted lines rise, hold the same entries, and point back at where each stood.
#[test]
fn lines_of_every_length_are_sorted() {
    fn body<const N: usize, E: Number>() {
        let x: Tensor<2, shape![N, 2], E> = by_place(|i| (i * 7919 % 31) as f64 - 15.0);
        let x = x.tracked();
        let (values, at) = x.sort::<0>();
        let lines = values.t();
        for line in lines.to_vec().chunks(N) {
            assert!(line.windows(2).all(|pair| pair[0] <= pair[1]), "{line:?}");
        }
        assert_eq!(x.gather::<0>(&at), values);
        assert_eq!(x.t().sort::<1>().0, lines);
        assert_eq!(x.t().argsort::<1>().as_slice().len(), 2 * N);
        let turned = x.sort_descending::<0>().0.to_vec();
        let mut column: Vec<E> = turned.chunks(2).map(|row| row[0]).collect();
        column.reverse();
        assert_eq!(column, lines.to_vec()[..N]);
        // Each entry's gradient is its rank.
        values.backward_with(&by_place(|i| (i / 2) as f64));
        let ranks = grad(&x);
        let back =
            Tensor::<2, shape![N, 2], E>::zeros().scatter::<0>(&at, &by_place(|i| (i / 2) as f64));
        assert_eq!(ranks, back);
    }
    every_length!(body);
}
