//! Draws the graph of a neuron, with values and gradients, of a small model, and of a deep one: a box for each block.
//!
//! `cargo run --example graph` writes pictures to `target/`: `neuron.svg`, `model.svg` and `deep.svg` for a
//! browser, `neuron.dot` for Graphviz, `neuron.mmd` for Mermaid. It also counts what the deep graph keeps alive.

use shapeproof::graph::Picture;
use shapeproof::prelude::*;
use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    fs::create_dir_all(&folder)?;
    let written = |name: &str, picture: String| -> io::Result<()> {
        let path = folder.join(name);
        fs::write(&path, picture)?;
        println!("wrote {}", path.display());
        Ok(())
    };

    let neuron = neuron();
    written("neuron.svg", neuron.to_svg())?;
    written("neuron.dot", neuron.to_dot())?;
    written("neuron.mmd", neuron.to_mermaid())?;
    written("model.svg", model().to_svg())?;
    written("deep.svg", deep().to_svg())
}

/// tanh(x1·w1 + x2·w2 + b), and how each number in it should move to make the result larger.
fn neuron() -> Picture {
    let number = |value: f32| Tensor::scalar(value).tracked();
    let (x1, x2, b) = (number(2.0), number(0.0), number(6.8813735));
    let (w1, w2) = (number(-3.0), number(1.0));
    let (x1w1, x2w2) = (&x1 * &w1, &x2 * &w2);
    let sum = &x1w1 + &x2w2;
    let n = &sum + &b;
    let o = n.tanh();
    for result in [&x1w1, &x2w2, &sum, &n, &o] {
        result.retain_grad();
    }
    o.backward_retaining();
    let named = [
        ("x1", &x1),
        ("x2", &x2),
        ("w1", &w1),
        ("w2", &w2),
        ("b", &b),
        ("x1w1", &x1w1),
        ("x2w2", &x2w2),
        ("sum", &sum),
        ("n", &n),
        ("o", &o),
    ];
    let picture = Picture::of(&o);
    named.into_iter().fold(picture, |picture, (name, tensor)| {
        picture.name(name, tensor)
    })
}

/// The loss of a model of two layers, with the names of its parameters.
fn model() -> Picture {
    let rng = &mut Rng::seed(0);
    let model = (Linear::<4, 16>::new(rng), Relu, Linear::<16, 3>::new(rng));
    let x = Tensor::<2, shape![8, 4]>::randn(rng);
    let labels =
        Indices::<1, shape![8], 3>::from_array([0, 1, 2, 0, 1, 2, 0, 1]).expect("three classes");
    let loss = model.forward(&x).cross_entropy(&labels);
    Picture::of(&loss).model(&model).name("loss", &loss)
}

/// Two layers, and what went in added to what comes out.
struct Block {
    norm: Param<1, shape![32]>,
    up: Linear<32, 64>,
    down: Linear<64, 32>,
}

impl Module for Block {
    fields!(norm, up, down);
}

impl Block {
    fn forward(&self, x: &Tensor<2, shape![8, 32]>) -> Tensor<2, shape![8, 32]> {
        let scale = (x.square().mean_keepdim::<1>() + 1e-6).rsqrt();
        let inner = self.up.forward(&(x * scale * &self.norm)).gelu();
        x + self.down.forward(&inner)
    }
}

struct Deep {
    embed: Linear<4, 32>,
    blocks: Vec<Block>,
    head: Linear<32, 3>,
}

impl Module for Deep {
    fields!(embed, blocks, head);
}

/// The loss of a model of six blocks: more than a hundred nodes, and nine boxes.
fn deep() -> Picture {
    let rng = &mut Rng::seed(0);
    let model = Deep {
        embed: Linear::new(rng),
        blocks: (0..6)
            .map(|_| Block {
                norm: Param::ones(),
                up: Linear::new(rng),
                down: Linear::new(rng),
            })
            .collect(),
        head: Linear::new(rng),
    };
    let x = Tensor::<2, shape![8, 4]>::randn(rng);
    let start = model.embed.forward(&x);
    let last = model
        .blocks
        .iter()
        .fold(start, |x, block| block.forward(&x));
    let loss = model.head.forward(&last).square().mean();

    let census = loss.node().expect("the model has parameters").census();
    println!(
        "deep: {} operations on {} parameters of {} numbers; {} KiB saved for backward",
        census.intermediates,
        census.leaves,
        census.leaf_numbers,
        census.saved_bytes / 1024
    );
    Picture::of(&loss).name("loss", &loss).collapse(&model, 2)
}
