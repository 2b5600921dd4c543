//! Matrix products: square ones, transposes, those of networks, vectors, and batches.
//!
//! `cargo bench --bench matmul`. Items are multiply-adds counted as two floating-point operations, so
//! items per second are FLOP/s.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

/// Functions that time a method of two tensors: their shapes, and how many multiplications it takes.
macro_rules! products {
    ($($name:ident: [$($a:literal),*] $method:ident [$($b:literal),*], $multiplications:expr;)*) => {$(
        #[divan::bench]
        fn $name(bencher: Bencher) {
            let rng = &mut Rng::seed(0);
            let (a, b) = (
                Tensor::<_, shape![$($a),*]>::randn(rng),
                Tensor::<_, shape![$($b),*]>::randn(rng),
            );
            let flops = ItemsCount::new(2usize * $multiplications);
            bencher.counter(flops).bench_local(|| black_box(&a).$method(black_box(&b)));
        }
    )*};
}
products! {
    square_32: [32, 32] matmul [32, 32], 32 * 32 * 32;
    square_64: [64, 64] matmul [64, 64], 64 * 64 * 64;
    square_256: [256, 256] matmul [256, 256], 256 * 256 * 256;
    square_512: [512, 512] matmul [512, 512], 512 * 512 * 512;
    square_1024: [1024, 1024] matmul [1024, 1024], 1024 * 1024 * 1024;
    square_transposed_512: [512, 512] matmul_t [512, 512], 512 * 512 * 512;
    transposed_square_512: [512, 512] t_matmul [512, 512], 512 * 512 * 512;
    layer_64_784_128: [64, 784] matmul [784, 128], 64 * 784 * 128;
    layer_transposed_64_784_128: [64, 784] matmul_t [128, 784], 64 * 784 * 128;
    layer_gradient_of_input: [64, 128] matmul [128, 784], 64 * 784 * 128;
    layer_gradient_of_weight: [64, 128] t_matmul [64, 784], 64 * 784 * 128;
    narrow_layer_128_512_10: [128, 512] matmul_t [10, 512], 128 * 512 * 10;
    tiny_layer_32_2_16: [32, 2] matmul_t [16, 2], 32 * 2 * 16;
    tiny_layer_32_16_16: [32, 16] matmul_t [16, 16], 32 * 16 * 16;
    matrix_and_vector_1024: [1024, 1024] matmul [1024], 1024 * 1024;
    vector_and_matrix_1024: [1024] matmul [1024, 1024], 1024 * 1024;
    batch_of_64_products_of_32: [64, 32, 32] matmul [64, 32, 32], 64 * 32 * 32 * 32;
    batch_of_64_products_of_16: [64, 16, 16] matmul [64, 16, 16], 64 * 16 * 16 * 16;
}
