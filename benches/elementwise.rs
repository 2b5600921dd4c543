//! Elementwise operations and reductions at cache and memory sizes.
//!
//! `cargo bench --bench elementwise`. Throughput counts the bytes read and written once each.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

const F32: usize = size_of::<f32>();

macro_rules! sizes {
    ($($size:ident: $rows:literal x $columns:literal;)*) => {$(
        mod $size {
            use super::*;
            type Matrix = Tensor<2, shape![$rows, $columns]>;
            const BYTES: usize = $rows * $columns * F32;

            fn matrix() -> Matrix {
                Tensor::uniform(-2.0, 2.0, &mut Rng::seed(0))
            }

            #[divan::bench]
            fn add(bencher: Bencher) {
                let (a, b) = (matrix(), matrix());
                bencher.counter(BytesCount::new(3 * BYTES)).bench_local(|| black_box(&a) + black_box(&b));
            }

            #[divan::bench]
            fn add_row(bencher: Bencher) {
                let (a, b) = (matrix(), Tensor::<1, shape![$columns]>::ones());
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a) + black_box(&b));
            }

            #[divan::bench]
            fn sub_column(bencher: Bencher) {
                let (a, b) = (matrix(), Tensor::<2, shape![$rows, 1]>::ones());
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a) - black_box(&b));
            }

            #[divan::bench]
            fn relu(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a).relu());
            }

            /// Six operations on one tensor: what a read and a write cost.
            #[divan::bench]
            fn fused_polynomial(bencher: Bencher) {
                let a = matrix();
                bencher
                    .counter(BytesCount::new(2 * BYTES))
                    .bench_local(|| fuse(black_box(&a), |x| ((x * 2.0 + 1.0) * x - 0.5) * x + 0.25));
            }

            #[divan::bench]
            fn fused_normalisation(bencher: Bencher) {
                let (a, mean) = (matrix(), Tensor::<1, shape![$columns]>::ones());
                let scale = Tensor::<2, shape![$rows, 1]>::ones();
                bencher
                    .counter(BytesCount::new(2 * BYTES))
                    .bench_local(|| fuse((black_box(&a), &mean, &scale), |(x, m, s)| ((x - m) * s).tanh()));
            }

            #[divan::bench]
            fn exp(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a).exp());
            }

            #[divan::bench]
            fn tanh(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a).tanh());
            }

            #[divan::bench]
            fn softmax_rows(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a).softmax::<1>());
            }

            #[divan::bench]
            fn sum_all(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(BYTES)).bench_local(|| black_box(&a).sum());
            }

            #[divan::bench]
            fn sum_rows(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(BYTES)).bench_local(|| black_box(&a).sum_axis::<0>());
            }

            #[divan::bench]
            fn transpose(bencher: Bencher) {
                let a = matrix();
                bencher.counter(BytesCount::new(2 * BYTES)).bench_local(|| black_box(&a).t());
            }
        }
    )*};
}
sizes! {
    k64: 256 x 256;
    m1: 1024 x 1024;
    m16: 4096 x 4096;
}
