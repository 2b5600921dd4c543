//! Each optimizer has its own settings, because their meaning and defaults differ.
//!
//! The way out: `SgdConfig` for `Sgd`.

use shapeproof::Rng;
use shapeproof::nn::Linear;
use shapeproof::optim::{AdamConfig, Sgd};

fn main() {
    let model = Linear::<2, 1>::new(&mut Rng::seed(0));
    let _ = Sgd::new(&model, AdamConfig::default());
}
