//! What an operation on 32 elements costs: bare, on inputs, recorded, and with its backward.
//!
//! `cargo bench --bench small_ops`. Compare medians within one run; absolute times drift with the machine.

use divan::{Bencher, black_box};
use shapeproof::prelude::*;

fn main() {
    divan::main();
}

type Row = Tensor<1, shape![32]>;

/// Adds in the chains below. Times are given for one of them.
const CHAIN: usize = 1000;

fn row() -> Row {
    Row::full(1e-3)
}

/// The addition alone, into a buffer that is there already.
#[divan::bench]
fn add_bare_loop(bencher: Bencher) {
    let (a, b) = (row(), row());
    let mut out = [0.0f32; 32];
    bencher.bench_local(|| {
        let (a, b) = (black_box(a.as_slice()), black_box(b.as_slice()));
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = a + b;
        }
        black_box(&mut out);
    });
}

#[divan::bench]
fn add_inputs_by_reference(bencher: Bencher) {
    let (a, b) = (row(), row());
    bencher.bench_local(|| black_box(&a) + black_box(&b));
}

#[divan::bench]
fn add_inputs_by_value(bencher: Bencher) {
    let b = row();
    let mut a = Some(row());
    bencher.bench_local(|| {
        let sum = a.take().expect("put back below") + black_box(&b);
        a = Some(black_box(sum));
    });
}

#[divan::bench]
fn add_broadcast_inputs(bencher: Bencher) {
    let (a, b) = (
        Tensor::<2, shape![4, 8]>::ones(),
        Tensor::<1, shape![8]>::ones(),
    );
    bencher.bench_local(|| black_box(&a) + black_box(&b));
}

#[divan::bench]
fn relu_input(bencher: Bencher) {
    let a = row();
    bencher.bench_local(|| black_box(&a).relu());
}

/// One recorded addition, its result dropped at once.
#[divan::bench]
fn add_recorded(bencher: Bencher) {
    let (a, b) = (row().tracked(), row());
    bencher.bench_local(|| black_box(&a) + black_box(&b));
}

#[divan::bench]
fn chain_of_1000_adds_on_inputs(bencher: Bencher) {
    let (start, step) = (row(), row());
    bencher
        .counter(divan::counter::ItemsCount::new(CHAIN))
        .bench_local(|| {
            let mut x = start.clone();
            for _ in 0..CHAIN {
                x += black_box(&step);
            }
            x
        });
}

#[divan::bench]
fn chain_of_1000_adds_recorded(bencher: Bencher) {
    let (start, step) = (row().tracked(), row());
    bencher
        .counter(divan::counter::ItemsCount::new(CHAIN))
        .bench_local(|| {
            let mut x = start.clone();
            for _ in 0..CHAIN {
                x += black_box(&step);
            }
            x
        });
}

#[divan::bench]
fn chain_of_1000_adds_forward_and_backward(bencher: Bencher) {
    let (start, step) = (row().tracked(), row());
    bencher
        .counter(divan::counter::ItemsCount::new(CHAIN))
        .bench_local(|| {
            let mut x = start.clone();
            for _ in 0..CHAIN {
                x += black_box(&step);
            }
            x.sum().backward();
            start.zero_grad();
        });
}
