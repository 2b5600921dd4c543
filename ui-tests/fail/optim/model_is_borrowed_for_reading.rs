//! A step changes the model, so it borrows it for writing.
//!
//! The way out: `&mut model`.

use shapeproof::Rng;
use shapeproof::nn::Linear;
use shapeproof::optim::{Sgd, SgdConfig};

fn main() {
    let model = Linear::<2, 1>::new(&mut Rng::seed(0));
    Sgd::new(&model, SgdConfig::default()).step(&model);
}
