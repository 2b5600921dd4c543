//! A reduction over an axis that the caller names.

use shapeproof::prelude::*;
use shapeproof::shape::HasAxis;

fn log_sum_exp<const AXIS: usize, const R: usize, S>(x: &Tensor<R, S>) -> TensorOf<S::Without, f32>
where
    S: Shape<R> + HasAxis<AXIS>,
{
    x.logsumexp_axis::<AXIS>()
}

fn main() {
    let x = Tensor::<3, shape![2, 3, 4]>::zeros();
    let y: Tensor<2, shape![2, 4]> = log_sum_exp::<1, 3, _>(&x);
    assert!((y[[0, 0]] - 3f32.ln()).abs() < 1e-6);
}
