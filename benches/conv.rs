//! Convolutions and pooling of images, forward and backward: layers of common networks.
//!
//! `cargo bench --bench conv`. Items are multiply-adds counted as two floating-point operations, so items
//! per second are FLOP/s; a backward pass does twice as many as forward, and is counted with it.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shapeproof::prelude::*;
use shapeproof::shape::{Groups, Pool, Same, Slide, Valid};

fn main() {
    divan::main();
}

macro_rules! layers {
    ($($forward:ident, $training:ident: $x:tt, $w:tt, $way:expr;)*) => {$(
        #[divan::bench]
        fn $forward(bencher: Bencher) {
            let rng = &mut Rng::seed(0);
            let (x, w) = (Tensor::<4, shape! $x>::randn(rng), Tensor::<4, shape! $w>::randn(rng));
            bencher
                .counter(ItemsCount::new(flops(x.conv2d(&w, $way).numel(), w.dims())))
                .bench_local(|| black_box(&x).conv2d(black_box(&w), $way));
        }

        #[divan::bench]
        fn $training(bencher: Bencher) {
            let rng = &mut Rng::seed(0);
            let x = Tensor::<4, shape! $x>::randn(rng).tracked();
            let w = Tensor::<4, shape! $w>::randn(rng).tracked();
            bencher
                .counter(ItemsCount::new(3 * flops(x.conv2d(&w, $way).numel(), w.dims())))
                .bench_local(|| {
                    x.zero_grad();
                    w.zero_grad();
                    black_box(&x).conv2d(black_box(&w), $way).sum().backward();
                });
        }
    )*};
}

fn flops(outputs: usize, [_, inputs, rows, columns]: [usize; 4]) -> usize {
    2 * outputs * inputs * rows * columns
}

layers! {
    first_of_resnet, first_of_resnet_training: [1, 3, 224, 224], [64, 3, 7, 7], Slide::<2, 3>;
    body_of_resnet, body_of_resnet_training: [8, 64, 56, 56], [64, 64, 3, 3], Same;
    end_of_resnet, end_of_resnet_training: [8, 512, 7, 7], [512, 512, 3, 3], Same;
    one_by_one, one_by_one_training: [8, 256, 14, 14], [64, 256, 1, 1], Valid;
    depthwise, depthwise_training: [8, 64, 56, 56], [64, 1, 3, 3], Groups::<64, _>(Same);
    digits, digits_training: [64, 1, 28, 28], [16, 1, 5, 5], Valid;
    small_first, small_first_training: [64, 1, 28, 28], [8, 1, 3, 3], Valid;
    small_body, small_body_training: [64, 16, 14, 14], [32, 16, 3, 3], Same;
}

macro_rules! pools {
    ($($forward:ident, $training:ident: $x:tt, $window:expr;)*) => {$(
        #[divan::bench]
        fn $forward(bencher: Bencher) {
            let x = Tensor::<4, shape! $x>::randn(&mut Rng::seed(0));
            bencher
                .counter(ItemsCount::new(x.numel()))
                .bench_local(|| black_box(&x).max_pool2d($window));
        }

        #[divan::bench]
        fn $training(bencher: Bencher) {
            let x = Tensor::<4, shape! $x>::randn(&mut Rng::seed(0)).tracked();
            bencher
                .counter(ItemsCount::new(x.numel()))
                .bench_local(|| {
                    x.zero_grad();
                    black_box(&x).max_pool2d($window).sum().backward();
                });
        }
    )*};
}

// Here items are entries of the input.
pools! {
    max_pool, max_pool_training: [8, 64, 56, 56], Pool::<2>;
    max_pool_overlapping, max_pool_overlapping_training: [8, 64, 56, 56], Pool::<3, 2, 1>;
    small_max_pool, small_max_pool_training: [64, 8, 26, 26], Pool::<2>;
}
