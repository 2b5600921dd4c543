//! Questions about masks and numbers of any shape.

use shapeproof::prelude::*;
use shapeproof::shape::HasAxis;

fn finite<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
    let x = x.masked_fill(&x.is_nan(), E::zero());
    &x * x.is_finite().to_tensor::<E>()
}

fn above<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>, limit: E) -> (Vec<E>, Vec<[usize; R]>) {
    let mask = x.gt(limit);
    (x.masked_select(&mask), mask.positions())
}

fn per_row<B: Axis, N: Axis, E: Element>(x: &Tensor<2, (B, N), E>) -> Tensor<1, (B,), E> {
    x.gt(E::zero()).count_axis::<1, E>() + x.lt(E::zero()).count_axes::<axes![1], E>()
}

fn share<const R: usize, S: Shape<R> + HasAxis<0>, E: Element>(x: &Tensor<R, S, E>) -> usize {
    x.nonzero().len() + x.count_nonzero() + x.unique().len()
}

fn main() {
    let x = Tensor::from([[1.0f32, f32::NAN], [f32::INFINITY, -2.0]]);
    let x = finite(&x);
    assert!(x[[0, 1]] == 0.0 && x[[1, 1]] == -2.0);
    let x = Tensor::from([[1.0f64, 0.0], [3.0, -2.0]]);
    assert_eq!(above(&x, 0.5), (vec![1.0, 3.0], vec![[0, 0], [1, 0]]));
    assert_eq!(per_row(&x).to_array(), [1.0, 2.0]);
    assert_eq!(share(&x), 3 + 3 + 4);
}
