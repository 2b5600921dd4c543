//! A shape of any rank may have no axis 0.
//!
//! The way out: a bound `S: HasAxis<0>`, from `shapeproof::shape`.

use shapeproof::{Shape, Tensor};

fn total<const R: usize, S: Shape<R>>(x: &Tensor<R, S>) {
    let _ = x.sum_axis::<0>();
}

fn main() {}
