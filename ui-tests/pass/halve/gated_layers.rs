//! Gated linear units over sizes that are known and in generic code.

use shapeproof::prelude::*;
use shapeproof::shape::Halve;

fn generic<B: Axis, const N: usize, const H: usize>(x: &Tensor<2, (B, Dim<N>)>) -> Tensor<2, (B, Dim<H>)> {
    x.glu_as::<1, Dim<H>>()
}

fn any_shape<const R: usize, S: Shape<R> + Halve<0>>(x: &Tensor<R, S>) -> TensorOf<<S as Halve<0>>::Output, f32> {
    x.glu::<0>()
}

fn main() {
    let x = Tensor::<2, shape![4, 1024]>::zeros();
    let y: Tensor<2, shape![4, 512]> = x.glu::<1>();
    let z: Tensor<2, shape![2, 1024]> = any_shape(&x);
    let large: Tensor<2, shape![4, 2048]> = generic(&Tensor::<2, shape![4, 4096]>::zeros());
    assert_eq!((y.numel(), z.numel(), large.numel()), (2048, 2048, 8192));
}
