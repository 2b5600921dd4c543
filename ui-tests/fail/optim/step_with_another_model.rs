//! An optimizer keeps a state for each parameter of the model it was made for.
//!
//! The way out: one optimizer for each model.

use shapeproof::Rng;
use shapeproof::nn::Linear;
use shapeproof::optim::{Sgd, SgdConfig};

fn main() {
    let rng = &mut Rng::seed(0);
    let (small, mut large) = (Linear::<2, 1>::new(rng), Linear::<2, 8>::new(rng));
    let mut optimizer = Sgd::new(&small, SgdConfig::default());
    optimizer.step(&mut large);
}
