//! Tensors are joined where only the axis they are joined along is known, and, by name, where it is generic too.

use shapeproof::prelude::*;

fn with_position<B: Axis, E: Element>(
    x: &Tensor<2, (B, Dim<3>), E>,
    position: &Param<2, (B, Dim<2>), E>,
) -> Tensor<2, (B, Dim<5>), E> {
    (x, position).concat::<1>()
}

fn both_directions<const N: usize, const M: usize, B: Axis>(
    forward: Tensor<2, (B, Dim<N>)>,
    backward: &Tensor<2, (B, Dim<N>)>,
) -> Tensor<2, (B, Dim<M>)> {
    (forward, backward).concat_as::<1, M>()
}

fn pair<B: Axis, N: Axis>(x: &Tensor<2, (B, N)>) -> Tensor<3, (B, Dim<2>, N)> {
    (x, x.exp()).stack::<1>()
}

type Stacked<S, const COUNT: usize> = <S as shapeproof::shape::Insert<0, Dim<COUNT>>>::Output;

fn batch<const R: usize, S, const COUNT: usize>(
    parts: [Tensor<R, S>; COUNT],
) -> TensorOf<Stacked<S, COUNT>, f32>
where
    S: Shape<R> + shapeproof::shape::Insert<0, Dim<COUNT>>,
{
    parts.stack::<0>()
}

fn main() {
    let x = Tensor::<2, shape![4, 3]>::ones();
    let y = with_position(&x, &Param::zeros());
    assert_eq!(y.dims(), [4, 5]);
    assert_eq!(both_directions::<3, 6, _>(x.clone(), &x).dims(), [4, 6]);
    assert_eq!(pair(&x).dims(), [4, 2, 3]);
    assert_eq!(batch([x.clone(), x]).dims(), [2, 4, 3]);
    let one: Tensor<2, shape![3, 2]> = (
        &Tensor::<2, shape![3, 1]>::ones(),
        &Tensor::<2, shape![3, 1]>::ones(),
    )
        .concat::<1>();
    assert_eq!(one.sum().item(), 6.0);
}
