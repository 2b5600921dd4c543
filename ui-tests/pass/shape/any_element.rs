//! A function of every element type needs `E: Element` and nothing else.

use shapeproof::prelude::*;

fn normal_density<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
    let scale = E::of(std::f64::consts::TAU).sqrt().recip();
    (x.square() * E::of(-0.5)).exp() * scale
}

fn main() {
    let single = normal_density(&Tensor::<1, shape![2]>::zeros());
    let double = normal_density(&Tensor::<1, shape![2], f64>::zeros());
    assert!((f64::from(single[[1]]) - double[[1]]).abs() < 1e-7);
}
