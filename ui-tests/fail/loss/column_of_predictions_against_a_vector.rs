//! A loss compares element with element and never broadcasts: `(8, 1)` against `(8,)` would pair all.
//!
//! The way out: `squeeze::<1>()` turns the column into a vector.

use shapeproof::nn::{Layer, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let predictions =
        Linear::<4, 1>::new(&mut Rng::seed(0)).forward(&Tensor::<2, shape![8, 4]>::ones());
    let targets = Tensor::<1, shape![8]>::ones();
    let _ = predictions.mse(&targets);
}
