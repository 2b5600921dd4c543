//! Choosing by a mask: what was not chosen gets exact zeros, and guards go inside.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;

both! {
    // pytorch/pytorch#36923, #52248
    fn a_division_by_zero_that_is_not_chosen<E>() {
        let x = Tensor::<0, (), E>::ones().tracked();
        let t = Tensor::<0, (), E>::zeros();
        let chosen = x.ge(&t);
        let z = chosen.select(&x, &(&t * (&x / &t)));
        exactly(&z, [1.0]);
        // Documented: the zeros that `select` sends back meet 1/0 further on.
        z.backward();
        near(&grad(&x), [NAN]);
        x.zero_grad();
        let d = t.eq(E::zero()).select(&Tensor::scalar(E::one()), &t);
        let z = chosen.select(&x, &(&t * (&x / &d)));
        exactly(&z, [1.0]);
        z.backward();
        exactly(&grad(&x), [1.0]);
    }

    // What is chosen passes its gradient on, even past values that are not finite.
    fn gradients_are_chosen_and_not_multiplied<E>() {
        let a: Tensor<1, shape![4], E> = of(&[1.0, NAN, f64::INFINITY, 2.0]);
        let b: Tensor<1, shape![4], E> = of(&[NAN, 5.0, 6.0, f64::NEG_INFINITY]);
        let (a, b) = (a.tracked(), b.tracked());
        let mask = Mask::<1, shape![4]>::from_array([true, false, false, true]);
        let y = mask.select(&a, &b);
        exactly(&y, [1.0, 5.0, 6.0, 2.0]);
        let seed: Tensor<1, shape![4], E> = of(&[1.0, f64::INFINITY, NAN, 4.0]);
        y.backward_with(&seed);
        exactly(&grad(&a), [1.0, 0.0, 0.0, 4.0]);
        near(&grad(&b), [0.0, f64::INFINITY, NAN, 0.0]);
    }

    // jax-ml/jax#347, pytorch/pytorch#187297
    fn a_root_guarded_inside<E>() {
        let x: Tensor<2, shape![3, 2], E> = of(&[1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
        let x = x.tracked();
        let s = x.square().sum_axis::<1>();
        let one = Tensor::<0, (), E>::ones();
        let f = s.gt(E::of(0.5)).select(&s, &one).sqrt().sum();
        near(&f, [8.23606797749979]);
        f.backward();
        near(&grad(&x), [0.4472135955, 0.894427191, 0.6, 0.8, 0.0, 0.0]);

        let x: Tensor<1, shape![2], E> = of(&[-1.0, -4.0]);
        let x = x.tracked();
        let positive = x.gt(E::zero());
        let y = positive.select(&positive.select(&x, &one).sqrt(), &x);
        exactly(&y, [-1.0, -4.0]);
        y.sum().backward();
        exactly(&grad(&x), [1.0, 1.0]);
    }
}

#[test]
fn operands_stretch_and_sum_at_every_length() {
    fn body<const N: usize, E: Number>() {
        let row: Tensor<1, shape![N], E> = by_place(|i| i as f64 + 1.0);
        let (row, number) = (row.tracked(), Tensor::<0, (), E>::full(-E::one()).tracked());
        let grid: Tensor<2, shape![3, N], E> = by_place(|i| (i % 5) as f64);
        let mask = grid.lt(E::of(2.0));
        let y = mask.select(&row, &number);
        let chosen: Vec<bool> = (0..3 * N).map(|i| i % 5 < 2).collect();
        let right = |i: usize| {
            if chosen[i] {
                (i % N) as f64 + 1.0
            } else {
                -1.0
            }
        };
        exactly(&y, (0..3 * N).map(right).collect::<Vec<_>>());
        y.sum().backward();
        let count = |j: usize| (0..3).filter(|i| chosen[i * N + j]).count() as f64;
        exactly(&grad(&row), (0..N).map(count).collect::<Vec<_>>());
        exactly(
            &grad(&number),
            [chosen.iter().filter(|c| !**c).count() as f64],
        );
    }
    every_length!(body);
}

/// Any, all and counts along several axes are what element by element says, also where an axis is empty.
#[test]
fn masks_along_several_axes() {
    fn body<const N: usize, const M: usize, const D: usize>() {
        let x = by_place::<3, shape![N, M, D], f32>(|i| (i * 7919 % 31) as f64 - 15.0);
        for bound in [-20.0, -12.0, 0.0, 12.0, 20.0] {
            let mask = x.gt(bound);
            let at = |i: usize, j: usize, k: usize| {
                usize::from(x.as_slice()[(i * M + j) * D + k] > bound)
            };
            let middle: Vec<usize> = (0..M)
                .map(|j| {
                    (0..N)
                        .flat_map(|i| (0..D).map(move |k| (i, k)))
                        .map(|(i, k)| at(i, j, k))
                        .sum()
                })
                .collect();
            let counts = mask.count_axes::<axes![0, 2], f64>();
            assert_eq!(
                counts.to_vec(),
                middle.iter().map(|&n| n as f64).collect::<Vec<_>>()
            );
            let kept = mask.count_axes_keepdim::<axes![0, 2], f64>();
            assert_eq!(kept.to_vec(), counts.to_vec());
            let any = mask.any_axes::<axes![0, 2]>().to_array();
            assert_eq!(
                any.to_vec(),
                middle.iter().map(|&n| n > 0).collect::<Vec<_>>()
            );
            let [all] = mask.all_axes_keepdim::<axes![0, 2]>().to_array();
            assert_eq!(
                all.concat(),
                middle.iter().map(|&n| n == N * D).collect::<Vec<_>>()
            );
            let first: Vec<bool> = (0..N)
                .map(|i| (0..M).all(|j| (0..D).all(|k| at(i, j, k) == 1)))
                .collect();
            assert_eq!(mask.all_axes::<axes![1, 2]>().to_array().to_vec(), first);
            assert_eq!(mask.any_axes::<axes![0, 1, 2]>().to_array(), mask.any());
            assert_eq!(mask.all_axes::<axes![0, 1, 2]>().to_array(), mask.all());
            assert_eq!(
                mask.count_keepdim::<1, f32>().to_vec(),
                mask.count_axis::<1, f32>().to_vec()
            );
        }
    }
    body::<2, 3, 4>();
    body::<1, 5, 7>();
    body::<3, 4, 0>();
    body::<0, 4, 2>();
}
