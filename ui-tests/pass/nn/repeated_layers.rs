//! Arrays and vectors of modules are modules, and structs of modules nest.

use shapeproof::prelude::*;

struct Block<const N: usize> {
    inner: Linear<N, N>,
    gain: Param<1, shape![N]>,
}

impl<const N: usize> Module for Block<N> {
    fields!(inner, gain);
}

struct Deep<const N: usize> {
    blocks: [Block<N>; 3],
    heads: Vec<Linear<N, 1>>,
}

impl<const N: usize> Module for Deep<N> {
    fields!(blocks, heads);
}

fn main() {
    let rng = &mut Rng::seed(0);
    let model = Deep::<4> {
        blocks: std::array::from_fn(|_| Block {
            inner: Linear::new(rng),
            gain: Param::ones(),
        }),
        heads: vec![Linear::new(rng)],
    };
    let x = model
        .blocks
        .iter()
        .fold(Tensor::<2, shape![2, 4]>::ones(), |x, block| {
            &x + block.inner.forward(&x) * &block.gain
        });
    model.heads[0].forward(&x).sum().backward();
    assert_eq!(model.parameter_names().last().unwrap(), "heads.0.bias");
}
