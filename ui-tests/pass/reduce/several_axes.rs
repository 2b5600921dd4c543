//! Reductions over several axes: a batch norm for all sizes, and axes that the caller names.

use shapeproof::prelude::*;
use shapeproof::shape::HasAxes;

fn batch_norm<const B: usize, const C: usize, const H: usize, const W: usize, E: Element>(
    x: &Tensor<4, shape![B, C, H, W], E>,
) -> Tensor<4, shape![B, C, H, W], E> {
    let mean = x.mean_axes_keepdim::<axes![0, 2, 3]>();
    let var = x.var_axes_keepdim::<axes![0, 2, 3]>(0);
    (x - mean) * (var + E::of(1e-5)).rsqrt()
}

fn energy<A, const R: usize, S>(x: &Tensor<R, S>) -> TensorOf<<S as HasAxes<A>>::Without, f32>
where
    S: Shape<R> + HasAxes<A>,
{
    x.square().sum_axes::<A>()
}

fn main() {
    let x = Tensor::<4, shape![2, 3, 2, 2]>::ones();
    assert_eq!(batch_norm(&x).sum().item(), 0.0);
    let y: Tensor<1, shape![3]> = energy::<axes![0, 2, 3], 4, _>(&x);
    assert_eq!(y.to_array(), [8.0; 3]);
}
