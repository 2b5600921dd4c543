//! An optimizer needs to know a model's parameters.
//!
//! The way out: `impl Module for Model { fields!(layer); }`

use shapeproof::Rng;
use shapeproof::nn::Linear;
use shapeproof::optim::{Sgd, SgdConfig};

struct Model {
    layer: Linear<2, 1>,
}

fn main() {
    let model = Model {
        layer: Linear::new(&mut Rng::seed(0)),
    };
    let _ = Sgd::new(&model, SgdConfig::default());
}
