//! `fields!` lists what holds parameters.
//!
//! The way out: leave settings out of the list.

use shapeproof::fields;
use shapeproof::nn::{Linear, Module};

struct Model {
    layer: Linear<2, 1>,
    dropout: f32,
}

impl Module for Model {
    fields!(layer, dropout);
}

fn main() {}
