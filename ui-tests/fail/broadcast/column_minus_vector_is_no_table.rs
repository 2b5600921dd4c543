//! A column minus a vector is not silently a table: elsewhere `(8, 1) - (8,)` has shape `(8, 8)`.
//!
//! The way out: `squeeze::<1>()` drops the axis. Who wants the table writes `stretch::<1>()`.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let predictions =
        Linear::<4, 1>::new(&mut Rng::seed(0)).forward(&Tensor::<2, shape![8, 4]>::ones());
    let targets = Tensor::<1, shape![8]>::ones();
    let _ = (predictions - targets).square().mean();
}
