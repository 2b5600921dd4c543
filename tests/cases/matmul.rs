//! Matrix products: empty axes, NaN, dirty memory, strides, batches.

use super::check::{Number, by_place, exactly, grad, near, of};
use shapeproof::prelude::*;

const NAN: f64 = f64::NAN;

both! {
    // apache/tvm#19578, bluss/matrixmultiply#21
    fn over_an_inner_axis_of_nothing<E>() {
        for _ in 0..100 {
            // Memory of the result's size that is anything but zero.
            let nan = Tensor::<2, shape![4, 4], E>::full(E::nan());
            drop(nan.matmul(&nan));
            let a = Tensor::<2, shape![4, 0], E>::zeros().tracked();
            let b = Tensor::<2, shape![0, 4], E>::zeros().tracked();
            let c = a.matmul(&b);
            exactly(&c, [0.0; 16]);
            c.sum().backward();
            assert_eq!(grad(&a).dims(), [4, 0]);
            assert_eq!(grad(&b).dims(), [0, 4]);
        }
        let none = Tensor::<2, shape![0, 3], E>::zeros().tracked();
        let b = Tensor::<2, shape![3, 2], E>::ones().tracked();
        let c: Tensor<2, shape![0, 2], E> = none.matmul(&b);
        c.sum().backward();
        exactly(&grad(&b), [0.0; 6]);
        assert_eq!(grad(&none).dims(), [0, 3]);
        // Vectors, transposes and batches of nothing.
        let v = Tensor::<1, shape![0], E>::zeros();
        exactly(&v.matmul(&v), [0.0]);
        exactly(&Tensor::<2, shape![2, 0], E>::zeros().matmul(&v), [0.0; 2]);
        exactly(&Tensor::<2, shape![2, 0], E>::zeros().matmul_t(&Tensor::<2, shape![3, 0], E>::zeros()), [0.0; 6]);
        let batch = Tensor::<3, shape![0, 2, 3], E>::zeros().tracked();
        b.zero_grad();
        batch.matmul(&b).sum().backward();
        exactly(&grad(&b), [0.0; 6]);
        let stretched = Tensor::<3, shape![1, 2, 3], E>::ones().tracked();
        stretched.matmul(&Tensor::<3, shape![0, 3, 2], E>::zeros()).sum().backward();
        exactly(&grad(&stretched), [0.0; 6]);
    }

    // scipy/scipy#7532, Reference-LAPACK/lapack#179
    fn nothing_times_nan_is_nan<E>() {
        let a: Tensor<2, shape![2, 2], E> = of(&[NAN, 1.0, 2.0, 3.0]);
        let b: Tensor<2, shape![2, 2], E> = of(&[0.0, 0.0, 0.0, 1.0]);
        let right = [NAN, NAN, 0.0, 3.0];
        near(&a.matmul(&b), right);
        near(&a.matmul_t(&b.t()), right);
        near(&a.t().t().matmul(&b), right);
        near(&b.t().matmul_t(&a), [NAN, 0.0, NAN, 3.0]);
        near(&a.matmul(&of::<1, shape![2], E>(&[0.0, 1.0])), [NAN, 3.0]);
        near(&of::<1, shape![2], E>(&[0.0, 1.0]).matmul(&a), [NAN, 3.0]);
        let infinite = Tensor::<2, shape![1, 1], E>::full(E::infinity());
        near(&infinite.matmul(&Tensor::<2, shape![1, 1], E>::zeros()), [NAN]);
        // Backward too.
        let x = Tensor::<2, shape![2, 2], E>::zeros().tracked();
        a.matmul(&x).sum().backward();
        near(&grad(&x), [NAN, NAN, 4.0, 4.0]);
    }

    // rust-ndarray/ndarray#584
    fn the_transpose_of_a_column<E>() {
        let a: Tensor<2, shape![2, 1], E> = of(&[1.0, 2.0]);
        let v: Tensor<1, shape![2], E> = of(&[1.0, 2.0]);
        exactly(&a.t().matmul(&v), [5.0]);
        exactly(&a.t().matmul(&a), [5.0]);
        exactly(&a.transpose::<0, 1>().broadcast_to::<shape![1, 2]>().matmul(&v), [5.0]);
        exactly(&v.unsqueeze::<0>().matmul_t(&a.t()), [5.0]);
        exactly(&a.matmul(&a.t()), [1.0, 2.0, 2.0, 4.0]);
    }

    // huggingface/candle#3744, #3960
    fn batches_that_stretch<E>() {
        let ones = Tensor::<3, shape![32, 32, 32], E>::ones();
        let one = Tensor::<3, shape![1, 32, 32], E>::ones();
        assert!(one.matmul(&ones).iter().all(|v| v == E::of(32.0)));
        assert!(ones.matmul(&one).iter().all(|v| v == E::of(32.0)));
        assert!(one.broadcast_to::<shape![32, 32, 32]>().matmul(&ones).iter().all(|v| v == E::of(32.0)));

        let a: Tensor<3, shape![1, 2, 3], E> = by_place(|i| i as f64 + 1.0);
        let b: Tensor<3, shape![2, 3, 2], E> = by_place(|i| i as f64 + 1.0);
        let (a, b) = (a.tracked(), b.tracked());
        let right = [22.0, 28.0, 49.0, 64.0, 58.0, 64.0, 139.0, 154.0];
        let c = a.matmul(&b);
        exactly(&c, right);
        c.sum().backward();
        exactly(&grad(&a), [18.0, 26.0, 34.0, 18.0, 26.0, 34.0]);
        exactly(&grad(&b), [5.0, 5.0, 7.0, 7.0, 9.0, 9.0, 5.0, 5.0, 7.0, 7.0, 9.0, 9.0]);
        a.zero_grad();
        let full = a.broadcast_to::<shape![2, 2, 3]>();
        exactly(&full.matmul(&b), right);
        full.matmul(&b).sum().backward();
        exactly(&grad(&a), [18.0, 26.0, 34.0, 18.0, 26.0, 34.0]);
        // Mirrored: (b·a)ᵀ = aᵀ·bᵀ.
        let (at, bt) = (a.detach().t(), b.detach().t());
        let c = bt.matmul(&at);
        exactly(&c.t(), right);
    }
}

/// Entries small enough that every product is exact.
fn entry(i: usize, seed: usize) -> f64 {
    ((i * 7 + seed * 3) % 11) as f64 - 5.0
}

/// Plain, transposed and backward products of one size against loops, in memory that held NaN.
fn product<const M: usize, const K: usize, const N: usize, E: Number>() {
    let a: Tensor<2, shape![M, K], E> = by_place(|i| entry(i, 1));
    let b: Tensor<2, shape![K, N], E> = by_place(|i| entry(i, 2));
    let seed: Tensor<2, shape![M, N], E> = by_place(|i| entry(i, 3));
    let (a, b) = (a.tracked(), b.tracked());
    let sums =
        |rows: usize, columns: usize, inner: usize, term: &dyn Fn(usize, usize, usize) -> f64| {
            let sum = |i: usize| (0..inner).map(|k| term(i / columns, i % columns, k)).sum();
            (0..rows * columns).map(sum).collect::<Vec<f64>>()
        };
    let right = sums(M, N, K, &|i, j, k| {
        entry(i * K + k, 1) * entry(k * N + j, 2)
    });
    for c in [0, 1].map(|_| Tensor::<2, shape![M, N], E>::full(E::nan())) {
        drop(c);
    }
    let c = a.matmul(&b);
    exactly(&c, &right);
    drop(Tensor::<2, shape![M, N], E>::full(E::nan()));
    exactly(&a.matmul_t(&b.t()), &right);
    drop([
        Tensor::<2, shape![M, K], E>::full(E::nan()),
        Tensor::full(E::nan()),
    ]);
    drop([
        Tensor::<2, shape![K, N], E>::full(E::nan()),
        Tensor::full(E::nan()),
    ]);
    c.backward_with(&seed);
    exactly(
        &grad(&a),
        sums(M, K, N, &|i, k, j| {
            entry(i * N + j, 3) * entry(k * N + j, 2)
        }),
    );
    exactly(
        &grad(&b),
        sums(K, N, M, &|k, j, i| {
            entry(i * K + k, 1) * entry(i * N + j, 3)
        }),
    );
}

/// Products of all sizes `m` and `n` from the lists, with the inner size `inner(m, n)`.
macro_rules! sizes {
    ($E:ty, |$m:ident, $n:ident| $k:expr, $($sizes:literal)*) => {
        sizes! { @rows $E, |$m, $n| ($k), [$($sizes)*] [$($sizes)*] }
    };
    (@rows $E:ty, |$m:ident, $n:ident| $k:tt, [$($row:literal)*] $columns:tt) => {$(
        sizes! { @columns $E, |$m, $n| $k, $row $columns }
    )*};
    (@columns $E:ty, |$m:ident, $n:ident| $k:tt, $row:literal [$($column:literal)*]) => {$({
        const $m: usize = $row;
        const $n: usize = $column;
        product::<$row, { $k }, $column, $E>();
    })*};
}

// robertknight/rten#81, pytorch/pytorch#96037, codeplaysoftware/portBLAS#237
#[test]
fn every_small_size_is_exact() {
    // A Latin square: every pair of two of the three sizes occurs.
    sizes! { f32, |M, N| (M + N) % 9 + 1, 1 2 3 4 5 6 7 8 9 }
    sizes! { f64, |M, N| (M + N) % 5 * 2 + 1, 1 3 5 7 9 }
    product::<17, 33, 33, f32>();
    product::<33, 17, 33, f32>();
    product::<33, 33, 17, f32>();
    product::<17, 17, 17, f64>();
    product::<33, 33, 33, f64>();
}

/// Sums along a long inner axis, as of equal numbers: vectors, single numbers, rows, columns, transposes (numpy#22956
/// for products).
#[test]
fn a_long_inner_axis_costs_no_digits() {
    const N: usize = 1_000_003;
    let x = Tensor::<1, shape![N], f32>::full(0.1);
    let sum = f64::from(0.1f32) * N as f64;
    let row = x.reshape::<shape![1, N]>();
    let column = x.reshape::<shape![N, 1]>();
    let ones = Tensor::<2, shape![N, 1], f32>::ones();
    near(&x.dot(&Tensor::ones()), [sum]);
    near(&row.matmul(&ones), [sum]);
    near(&ones.t_matmul(&column), [sum]);
    near(
        &row.matmul_t(&Tensor::<2, shape![3, N], f32>::ones()),
        [sum; 3],
    );
    let three = Tensor::<2, shape![3, N], f32>::full(0.1);
    near(&three.matmul(&ones), [sum; 3]);
    near(
        &three.matmul_t(&Tensor::<2, shape![2, N], f32>::ones()),
        [sum; 6],
    );
}
