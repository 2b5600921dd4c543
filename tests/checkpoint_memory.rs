//! The memory that a long chain takes, with and without parts that are computed again. Alone in its process:
//! memory is counted for all threads.

use shapeproof::autograd::checkpoint;
use shapeproof::memory;
use shapeproof::prelude::*;

const LAYERS: usize = 100;
const BYTES: usize = 1 << 18;
type Activation = Tensor<1, shape![65536]>;

fn layers(x: Activation, count: usize) -> Activation {
    (0..count).fold(x, |x, _| (x * 1.01).sin())
}

/// How many activations there are at most during a step.
fn peak(chain: impl Fn(&Activation) -> Activation) -> usize {
    memory::empty_cache();
    let before = memory::stats().reserved_bytes;
    let x = Activation::ones().tracked();
    chain(&x).sum().backward();
    assert!(x.grad().is_some());
    (memory::stats().reserved_bytes - before) / BYTES
}

/// √n parts of √n layers: the inputs of all parts, and the activations of one.
#[test]
fn a_chain_in_parts_takes_the_square_root() {
    let whole = peak(|x| layers(x.clone(), LAYERS));
    let parts =
        peak(|x| (0..10).fold(x.clone(), |x, _| checkpoint(|x| layers(x, LAYERS / 10), &x)));
    assert!(whole >= LAYERS, "{whole} activations");
    assert!(
        parts <= 10 + 10 + 6,
        "{parts} activations instead of {whole}"
    );
}
