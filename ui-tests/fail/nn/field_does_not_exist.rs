//! `fields!` lists fields of the struct.
//!
//! The way out: write the name as the struct does.

use shapeproof::fields;
use shapeproof::nn::{Linear, Module};

struct Model {
    layer: Linear<2, 1>,
}

impl Module for Model {
    fields!(layers);
}

fn main() {}
