//! Each part of a tuple lists its parameters, and a number has none.
//!
//! The way out: keep settings outside the tuple.

use shapeproof::Rng;
use shapeproof::nn::Linear;
use shapeproof::optim::{Sgd, SgdConfig};

fn main() {
    let model = (Linear::<2, 1>::new(&mut Rng::seed(0)), 0.5);
    let _ = Sgd::new(&model, SgdConfig::default());
}
