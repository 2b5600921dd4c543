//! A size may be a literal, a constant, a const expression or a const parameter.

use shapeproof::prelude::*;

const SIDE: usize = 28;

fn image<const C: usize>() -> Tensor<3, shape![C, SIDE, { SIDE / 2 }]> {
    Tensor::zeros()
}

fn main() {
    let pixels = image::<3>().reshape::<shape![3, { SIDE * SIDE / 2 }]>();
    assert_eq!(pixels.dims(), [3, 392]);
}
