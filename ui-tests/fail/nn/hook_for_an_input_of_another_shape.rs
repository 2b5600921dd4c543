//! A hook is for inputs that its layer takes.
//!
//! The way out: name an input of the layer's size.

use shapeproof::nn::{Hooked, Linear};
use shapeproof::{Rng, Tensor, shape};

fn main() {
    let layer = Hooked::new(Linear::<4, 8>::new(&mut Rng::seed(0)));
    layer.register_forward_pre_hook(|x: &Tensor<2, shape![16, 5]>| println!("{x}"));
}
