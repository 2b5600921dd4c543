//! A block of a transformer, its norms before what they serve, forward and backward.

use crate::models::linear;
use crate::tensor;
use peer_measure::measure;
use shapeproof::fields;
use shapeproof::nn::LayerNorm;
use shapeproof::prelude::*;

const BATCH: usize = 8;
const TOKENS: usize = 64;
const HEADS: usize = 4;
const HEAD: usize = 32;
const WIDTH: usize = 128;
const HIDDEN: usize = 512;

type Tokens = Tensor<3, shape![BATCH, TOKENS, WIDTH]>;
type Heads = Tensor<4, shape![BATCH, HEADS, TOKENS, HEAD]>;

struct Block {
    before_attention: LayerNorm<WIDTH>,
    queries_keys_values: Linear<WIDTH, { 3 * WIDTH }>,
    attended: Linear<WIDTH, WIDTH>,
    before_hidden: LayerNorm<WIDTH>,
    up: Linear<WIDTH, HIDDEN>,
    down: Linear<HIDDEN, WIDTH>,
}
impl Module for Block {
    fields!(
        before_attention,
        queries_keys_values,
        attended,
        before_hidden,
        up,
        down
    );
}

impl Block {
    fn new() -> Self {
        Block {
            before_attention: LayerNorm::new(),
            queries_keys_values: linear(1),
            attended: linear(2),
            before_hidden: LayerNorm::new(),
            up: linear(3),
            down: linear(4),
        }
    }

    fn forward(&self, x: &Tokens) -> Tokens {
        let [q, k, v]: [Heads; 3] = self
            .queries_keys_values
            .forward(&self.before_attention.forward(x))
            .chunk::<2, 3>()
            .map(|part| {
                part.reshape::<shape![BATCH, TOKENS, HEADS, HEAD]>()
                    .transpose::<1, 2>()
            });
        let seen = q
            .scaled_dot_product_attention(&k, &v, (), false)
            .transpose::<1, 2>()
            .reshape::<shape![BATCH, TOKENS, WIDTH]>();
        let x = x + self.attended.forward(&seen);
        let hidden = self.up.forward(&self.before_hidden.forward(&x)).gelu();
        x + self.down.forward(&hidden)
    }
}

pub fn measured(name: &str) {
    let block = Block::new();
    let x = tensor::<3, shape![BATCH, TOKENS, WIDTH]>(5, 1.0).tracked();
    let call = || {
        block.zero_grad();
        x.zero_grad();
        block.forward(&x).square().mean().backward();
        let weight = &block.queries_keys_values.weight;
        (x.grad().unwrap(), weight.grad().unwrap())
    };
    measure(name, 1, call, |(x, weight)| {
        [x.as_slice(), weight.as_slice()].concat()
    });
}
