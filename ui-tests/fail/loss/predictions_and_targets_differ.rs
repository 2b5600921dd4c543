//! Predictions and targets have the same shape.
//!
//! The way out: as many targets as predictions.

use shapeproof::{Tensor, shape};

fn main() {
    let predictions = Tensor::<1, shape![8]>::ones();
    let targets = Tensor::<1, shape![9]>::ones();
    let _ = predictions.mae(&targets);
}
