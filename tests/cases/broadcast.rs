//! Stretched operands: their gradients are sums, in their own shape.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

both! {
    // tracel-ai/burn#181
    fn both_addends_stretch_after_a_product<E>() {
        let x: Tensor<2, shape![2, 3], E> = of(&[1.0, 2.0, -1.0, 0.0, 1.0, 3.0]);
        let w: Tensor<2, shape![3, 1], E> = of(&[1.0, -2.0, 0.5]);
        let bias: Tensor<2, shape![1, 3], E> = of(&[0.1, 0.2, 0.3]);
        let label: Tensor<2, shape![2, 1], E> = of(&[1.0, 2.0]);
        let (w, bias, label) = (w.tracked(), bias.tracked(), label.tracked());
        let y = x.matmul(&w) + &bias;
        near(&y, [-3.4, -3.3, -3.2, -0.4, -0.3, -0.2]);
        let loss = (y - &label).square().sum();
        near(&loss, [71.38]);
        loss.backward();
        near(&grad(&w), [-25.8, -65.4, -15.6]);
        near(&grad(&bias), [-13.6, -13.2, -12.8]);
        near(&grad(&label), [25.8, 13.8]);
    }

    // deeplearning4j/nd4j#2503
    fn an_axis_of_one_in_the_middle<E>() {
        let up = |i: usize| (i % 7) as f64;
        let seed: Tensor<3, shape![3, 4, 5], E> = by_place(up);
        let a = Tensor::<3, shape![3, 4, 5], E>::ones().tracked();
        let b = Tensor::<3, shape![3, 1, 5], E>::ones().tracked();
        (&a + &b).backward_with(&seed);
        assert_eq!(grad(&a), seed);
        exactly(&grad(&b), [
            9.0, 13.0, 10.0, 14.0, 11.0, 12.0, 9.0, 13.0, 10.0, 14.0, 15.0, 12.0, 9.0, 13.0, 10.0,
        ]);
        b.zero_grad();
        // The other way round.
        (&b + &a).backward_with(&seed);
        exactly(&grad(&b), [
            9.0, 13.0, 10.0, 14.0, 11.0, 12.0, 9.0, 13.0, 10.0, 14.0, 15.0, 12.0, 9.0, 13.0, 10.0,
        ]);
    }

    // pytorch/pytorch#13669
    fn a_shared_result_stretches_over_a_thousand<E>() {
        let z = Tensor::<0, (), E>::ones().tracked();
        let e = z.exp();
        let f = (&e - E::zero()).sum() + (&e - Tensor::<1, shape![1000], E>::zeros()).sum();
        f.backward();
        near(&grad(&z), [1001.0 * std::f64::consts::E]);
    }

    // rust-ndarray/ndarray#437
    fn each_operand_stretches_along_another_axis<E>() {
        let a: Tensor<3, shape![1, 2, 2], E> = of(&[1.0, 2.0, 3.0, 4.0]);
        let b: Tensor<3, shape![2, 1, 2], E> = of(&[5.0, 6.0, 7.0, 8.0]);
        let (a, b) = (a.tracked(), b.tracked());
        let seed: Tensor<3, shape![2, 2, 2], E> = by_place(|i| i as f64 + 1.0);
        let right = [5.0, 12.0, 15.0, 24.0, 7.0, 16.0, 21.0, 32.0];
        for product in [&a * &b, &b * &a] {
            exactly(&product, right);
            product.backward_with(&seed);
            exactly(&grad(&a), [40.0, 60.0, 64.0, 88.0]);
            exactly(&grad(&b), [10.0, 20.0, 26.0, 44.0]);
            a.zero_grad();
            b.zero_grad();
        }
    }

    // robertknight/rten#1369, numpy/numpy#4362
    fn one_against_nothing_is_nothing<E>() {
        let a: Tensor<2, shape![2, 1], E> = of(&[1.0, 2.0]);
        let (a, b) = (a.tracked(), Tensor::<2, shape![2, 0], E>::zeros().tracked());
        let c: Tensor<2, shape![2, 0], E> = &a + &b;
        assert_eq!(c.dims(), [2, 0]);
        let loss = c.sum();
        exactly(&loss, [0.0]);
        loss.backward();
        exactly(&grad(&a), [0.0, 0.0]);
        assert_eq!(grad(&b).dims(), [2, 0]);

        // The other operators, orders and places of the empty axis.
        let losses = [(&b - &a).sum(), (&a * &b).sum(), (&b / &a).sum(), a.maximum(&b).sum()];
        for loss in losses {
            exactly(&loss, [0.0]);
            loss.backward();
        }
        exactly(&grad(&a), [0.0, 0.0]);
        let row = Tensor::<2, shape![1, 3], E>::ones().tracked();
        let none = Tensor::<2, shape![0, 3], E>::ones();
        (&row * &none).sum().backward();
        (&none.unsqueeze::<1>() * &row).sum().backward();
        exactly(&grad(&row), [0.0; 3]);
        let scalar = Tensor::<0, (), E>::ones().tracked();
        (&scalar * &none).sum().backward();
        exactly(&grad(&scalar), [0.0]);
    }

    // tensorflow/tfjs#8721
    fn a_matrix_shared_by_a_batch_of_products<E>() {
        let a: Tensor<3, shape![2, 2, 2], E> = by_place(|i| i as f64 + 1.0);
        let b: Tensor<2, shape![2, 2], E> = by_place(|i| i as f64 + 9.0);
        let (a, b) = (a.tracked(), b.tracked());
        let product = a.matmul(&b);
        exactly(&product, [31.0, 34.0, 71.0, 78.0, 111.0, 122.0, 151.0, 166.0]);
        product.sum().backward();
        exactly(&grad(&b), [16.0, 16.0, 20.0, 20.0]);
        exactly(&grad(&a), [19.0, 23.0, 19.0, 23.0, 19.0, 23.0, 19.0, 23.0]);
        // The batch on the right.
        a.zero_grad();
        b.zero_grad();
        b.matmul(&a).sum().backward();
        exactly(&grad(&b), [14.0, 22.0, 14.0, 22.0]);
        exactly(&grad(&a), [20.0, 20.0, 22.0, 22.0, 20.0, 20.0, 22.0, 22.0]);
    }
}

type Column<E> = Tensor<2, shape![3, 1], E>;
type Row<const N: usize, E> = Tensor<1, shape![N], E>;
type Stretched<const N: usize, E> = fn(&Column<E>, &Row<N, E>) -> Tensor<2, shape![3, N], E>;

/// A column of 3 against a row of `N`: every operator's gradients against sums by hand.
#[test]
fn a_column_against_a_row_of_every_length() {
    fn body<const N: usize, E: Number>() {
        let a = |i: usize| 1.0 + i as f64;
        let b = |j: usize| 2.0 - 0.5 * j as f64 + if j == 4 { 0.25 } else { 0.0 };
        let up = |i: usize, j: usize| ((3 * i + 5 * j) % 7) as f64 - 3.0;
        let column: Tensor<2, shape![3, 1], E> = by_place(a);
        let row: Tensor<1, shape![N], E> = by_place(b);
        let seed: Tensor<2, shape![3, N], E> = by_place(|place| up(place / N, place % N));
        let check = |out: Stretched<N, E>, f: fn(f64, f64) -> [f64; 3]| {
            let (x, y) = (column.clone().tracked(), row.clone().tracked());
            let z = out(&x, &y);
            let at = |i: usize, j: usize| f(a(i), b(j));
            near(
                &z,
                (0..3 * N).map(|p| at(p / N, p % N)[0]).collect::<Vec<_>>(),
            );
            z.backward_with(&seed);
            let da = |i: usize| (0..N).map(|j| up(i, j) * at(i, j)[1]).sum();
            let db = |j: usize| (0..3).map(|i| up(i, j) * at(i, j)[2]).sum();
            near_sum(&grad(&x), (0..3).map(da).collect());
            near_sum(&grad(&y), (0..N).map(db).collect());
        };
        check(|x, y| x + y, |a, b| [a + b, 1.0, 1.0]);
        check(|x, y| x - y, |a, b| [a - b, 1.0, -1.0]);
        check(|x, y| x * y, |a, b| [a * b, b, a]);
        check(|x, y| y / x, |a, b| [b / a, -b / (a * a), 1.0 / a]);
    }
    /// Sums in which large parts may cancel.
    #[track_caller]
    fn near_sum<const R: usize, S: Shape<R>, E: Number>(got: &Tensor<R, S, E>, right: Vec<f64>) {
        for (got, right) in got.iter().zip(right) {
            let got = got.to_f64().unwrap();
            assert!(
                (got - right).abs() <= E::RELATIVE * right.abs().max(10.0),
                "{got} is not {right}"
            );
        }
    }
    every_length!(body);
}

#[test]
fn a_number_against_every_length() {
    fn body<const N: usize, E: Number>() {
        let z = Tensor::<0, (), E>::ones().tracked();
        let e = z.exp();
        ((&e - E::zero()).sum() + (&e - Tensor::<1, shape![N], E>::zeros()).sum()).backward();
        near(&grad(&z), [(N + 1) as f64 * std::f64::consts::E]);
    }
    every_length!(body);
}
