//! Gradients of each example: by `vmap`, by a loop over the examples, and for scale their sum, by one batched pass.

use divan::{Bencher, black_box};
use shapeproof::autograd::{value_and_grad, vmap};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

const BATCH: usize = 64;
const EXAMPLES: usize = 784;
const HIDDEN: usize = 128;
const CLASSES: usize = 10;

type X = Tensor<2, shape![BATCH, EXAMPLES]>;
type Weights = (
    Tensor<2, shape![HIDDEN, EXAMPLES]>,
    Tensor<1, shape![HIDDEN]>,
    Tensor<2, shape![CLASSES, HIDDEN]>,
    Tensor<1, shape![CLASSES]>,
);

struct Work {
    weights: Weights,
    x: X,
    labels: Indices<1, shape![BATCH], CLASSES>,
}

fn work() -> Work {
    let rng = &mut Rng::seed(0);
    Work {
        weights: (
            Tensor::randn(rng) * 0.05,
            Tensor::zeros(),
            Tensor::randn(rng) * 0.1,
            Tensor::zeros(),
        ),
        x: Tensor::randn(rng),
        labels: Indices::from_vec((0..BATCH).map(|i| i % CLASSES).collect()).unwrap(),
    }
}

fn logits(
    x: &Tensor<1, shape![EXAMPLES]>,
    (w1, b1, w2, b2): &Weights,
) -> Tensor<1, shape![CLASSES]> {
    (x.matmul_t(w1) + b1).relu().matmul_t(w2) + b2
}

#[divan::bench]
fn vmap_forward(bencher: Bencher) {
    let Work { weights, x, .. } = work();
    bencher.bench_local(|| black_box(vmap(|x| logits(&x, &weights), &x)));
}

#[divan::bench]
fn batched_forward(bencher: Bencher) {
    let Work { weights, x, .. } = work();
    let (w1, b1, w2, b2) = &weights;
    bencher.bench_local(|| black_box((x.matmul_t(w1) + b1).relu().matmul_t(w2) + b2));
}

#[divan::bench]
fn vmap_per_example(bencher: Bencher) {
    let Work { weights, x, labels } = work();
    let (w1, b1, w2, b2) = &weights;
    bencher.bench_local(|| {
        black_box(vmap(
            |(x, label)| {
                let loss = |weights| logits(&x, &weights).cross_entropy(&label);
                value_and_grad(loss, (w1, b1, w2, b2)).1
            },
            (&x, &labels),
        ))
    });
}

#[divan::bench]
fn loop_per_example(bencher: Bencher) {
    let Work { weights, x, labels } = work();
    let (w1, b1, w2, b2) = &weights;
    bencher.bench_local(|| {
        for i in 0..BATCH {
            let x = x.select_at::<0>(i).unwrap();
            let label = Indices::<0, (), CLASSES>::from_slice(&labels.as_slice()[i..=i]).unwrap();
            let loss = |weights| logits(&x, &weights).cross_entropy(&label);
            black_box(value_and_grad(loss, (w1, b1, w2, b2)).1);
        }
    });
}

#[divan::bench]
fn batched_sum(bencher: Bencher) {
    let Work { weights, x, labels } = work();
    let (w1, b1, w2, b2) = &weights;
    bencher.bench_local(|| {
        let loss = |(w1, b1, w2, b2): Weights| {
            ((x.matmul_t(&w1) + b1).relu().matmul_t(&w2) + b2).cross_entropy(&labels)
        };
        black_box(value_and_grad(loss, (w1, b1, w2, b2)).1)
    });
}
