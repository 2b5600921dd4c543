//! Matrix products: square ones, those of a small network, and batches.
//!
//! `cargo bench --bench matmul`. Items are multiply-adds counted as two floating-point operations, so
//! items per second are FLOP/s.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

macro_rules! products {
    ($($name:ident: $m:literal x $k:literal x $n:literal;)*) => {$(
        #[divan::bench]
        fn $name(bencher: Bencher) {
            let rng = &mut Rng::seed(0);
            let (a, b) = (Tensor::<2, shape![$m, $k]>::randn(rng), Tensor::<2, shape![$k, $n]>::randn(rng));
            let flops = ItemsCount::new(2usize * $m * $k * $n);
            bencher.counter(flops).bench_local(|| black_box(&a).matmul(black_box(&b)));
        }
    )*};
}
products! {
    square_32: 32 x 32 x 32;
    square_64: 64 x 64 x 64;
    square_256: 256 x 256 x 256;
    square_512: 512 x 512 x 512;
    square_1024: 1024 x 1024 x 1024;
    layer_64_784_128: 64 x 784 x 128;
}

#[divan::bench]
fn layer_transposed_64_784_128(bencher: Bencher) {
    let rng = &mut Rng::seed(0);
    let (x, w) = (
        Tensor::<2, shape![64, 784]>::randn(rng),
        Tensor::<2, shape![128, 784]>::randn(rng),
    );
    let flops = ItemsCount::new(2usize * 64 * 784 * 128);
    bencher
        .counter(flops)
        .bench_local(|| black_box(&x).matmul_t(black_box(&w)));
}

#[divan::bench]
fn batch_of_64_products_of_32(bencher: Bencher) {
    let rng = &mut Rng::seed(0);
    let (a, b) = (
        Tensor::<3, shape![64, 32, 32]>::randn(rng),
        Tensor::<3, shape![64, 32, 32]>::randn(rng),
    );
    let flops = ItemsCount::new(2usize * 64 * 32 * 32 * 32);
    bencher
        .counter(flops)
        .bench_local(|| black_box(&a).matmul(black_box(&b)));
}
