//! Two shapes of any rank need not fit each other.
//!
//! The way out: a bound `S: Broadcast<T>`, from `shapeproof::shape`, or one parameter for both.

use shapeproof::{Shape, Tensor};

fn add<const R: usize, S: Shape<R>, T: Shape<R>>(x: &Tensor<R, S>, y: &Tensor<R, T>) {
    let _ = x + y;
}

fn main() {}
