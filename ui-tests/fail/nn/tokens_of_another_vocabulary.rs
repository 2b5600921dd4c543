//! The layer `Embedding` has a vector for each word of one vocabulary.
//!
//! The way out: the first number of the layer is the bound of the indices.

use shapeproof::nn::{Embedding, Layer};
use shapeproof::{Indices, Rng, shape};

fn main() {
    let layer = Embedding::<100, 16>::new(&mut Rng::seed(0));
    let tokens = Indices::<2, shape![2, 3], 128>::from_array([[7, 0, 99], [127, 7, 1]]).unwrap();
    let _ = layer.forward(&tokens);
}
