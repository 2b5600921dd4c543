//! `Flatten` names the number of entries that an image has.
//!
//! The way out: name the number that the error states. It is found by `cargo build`, not by `cargo check`.

use shapeproof::nn::{Flatten, Layer};
use shapeproof::{Tensor, shape};

fn main() {
    let images = Tensor::<4, shape![32, 16, 5, 5]>::ones();
    let _ = Flatten::<784>.forward(&images);
}
