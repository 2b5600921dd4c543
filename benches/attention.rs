//! Attention in blocks against the same composed of products and a softmax, forward alone and with backward.
//!
//! `cargo bench --bench attention`. Items are the multiply-adds of both products of forward, counted as two
//! floating-point operations each.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

const HEADS: usize = 8;
const WIDTH: usize = 64;

fn operands<const T: usize>() -> [Tensor<3, shape![HEADS, T, WIDTH]>; 3] {
    let rng = &mut Rng::seed(0);
    [(); 3].map(|()| Tensor::randn(rng))
}

fn flops<const T: usize>() -> ItemsCount {
    ItemsCount::new(2 * 2 * HEADS * T * T * WIDTH)
}

fn composed<const T: usize>(
    [q, k, v]: &[Tensor<3, shape![HEADS, T, WIDTH]>; 3],
) -> Tensor<3, shape![HEADS, T, WIDTH]> {
    let scores = q.matmul_t(k) / (WIDTH as f32).sqrt();
    scores.softmax::<2>().matmul(v)
}

fn blocks<const T: usize>(
    [q, k, v]: &[Tensor<3, shape![HEADS, T, WIDTH]>; 3],
) -> Tensor<3, shape![HEADS, T, WIDTH]> {
    q.scaled_dot_product_attention(k, v, (), false)
}

macro_rules! lengths {
    ($($module:ident: $t:literal;)*) => {$(
        mod $module {
            use super::*;

            #[divan::bench]
            fn forward_in_blocks(bencher: Bencher) {
                let x = operands::<$t>();
                bencher.counter(flops::<$t>()).bench_local(|| blocks(black_box(&x)));
            }

            #[divan::bench]
            fn forward_composed(bencher: Bencher) {
                let x = operands::<$t>();
                bencher.counter(flops::<$t>()).bench_local(|| composed(black_box(&x)));
            }

            #[divan::bench]
            fn backward_in_blocks(bencher: Bencher) {
                let x = operands::<$t>().map(|x| x.tracked());
                bencher.counter(flops::<$t>()).bench_local(|| blocks(black_box(&x)).sum().backward());
            }

            #[divan::bench]
            fn backward_composed(bencher: Bencher) {
                let x = operands::<$t>().map(|x| x.tracked());
                bencher.counter(flops::<$t>()).bench_local(|| composed(black_box(&x)).sum().backward());
            }
        }
    )*};
}
lengths! {
    length_128: 128;
    length_512: 512;
    length_2048: 2048;
}
