//! Parts are cut where the axis is known, and, by name, where it is generic.

use shapeproof::prelude::*;

fn drop_first<B: Axis, E: Element>(x: &Tensor<2, (B, Dim<5>), E>) -> Tensor<2, (B, Dim<4>), E> {
    x.narrow::<1, 1, 4>()
}

fn last<const N: usize, const LAST: usize, B: Axis>(x: &Tensor<2, (Dim<N>, B)>) -> Tensor<1, (B,)> {
    x.select_as::<0, LAST>()
}

fn queries_keys_values<const D: usize, const D3: usize, B: Axis>(
    x: &Tensor<2, (B, Dim<D3>)>,
) -> [Tensor<2, (B, Dim<D>)>; 3] {
    x.chunk_as::<1, 3, D>()
}

fn gates<B: Axis>(x: &Tensor<2, (B, Dim<6>)>) -> (Tensor<2, (B, Dim<2>)>, Tensor<2, (B, Dim<4>)>) {
    x.split::<1, shape![2, 4]>()
}

fn window<const R: usize, S, const LEN: usize>(
    x: &Tensor<R, S>,
    start: usize,
) -> Option<TensorOf<S::With<Dim<LEN>>, f32>>
where
    S: Shape<R> + shapeproof::shape::HasAxis<0>,
{
    x.narrow_at::<0, LEN>(start).ok()
}

fn ends<const N: usize, const HEAD: usize, const TAIL: usize, B: Axis, E: Element>(
    x: &Tensor<2, (Dim<N>, B), E>,
) -> (Tensor<2, (Dim<HEAD>, B), E>, Tensor<2, (Dim<TAIL>, B), E>) {
    let (head, tail) = x.split_as::<0, (Dim<HEAD>, Dim<TAIL>)>();
    (head + x.narrow_as::<0, 0, HEAD>(), tail)
}

fn listed<A: Axis, B: Axis, const K: usize>(x: &Tensor<2, (A, B)>, list: &[usize]) -> Option<Tensor<2, (Dim<K>, B)>> {
    x.take::<0, K>(list).ok()
}

fn row<A: Axis, B: Axis>(x: &Tensor<2, (A, B)>, at: usize) -> Option<Tensor<1, (B,)>> {
    x.select_at::<0>(at).ok()
}

fn main() {
    let x = Tensor::<2, shape![4, 5]>::ones();
    assert_eq!(ends::<4, 3, 1, _, _>(&x).0[[2, 4]], 2.0);
    assert!(listed::<_, _, 2>(&x, &[3, 0]).is_some() && listed::<_, _, 2>(&x, &[3, 4]).is_none());
    assert!(row(&x, 3).is_some() && row(&x, 4).is_none());
    assert_eq!(drop_first(&x).dims(), [4, 4]);
    assert_eq!(last::<4, 3, _>(&x).dims(), [5]);
    let y = Tensor::<2, shape![4, 6]>::ones();
    assert_eq!(queries_keys_values::<2, 6, _>(&y)[2].dims(), [4, 2]);
    assert_eq!(gates(&y).1.dims(), [4, 4]);
    assert!(window::<2, _, 3>(&x, 1).is_some() && window::<2, _, 3>(&x, 2).is_none());
    let [a, b] = y.chunk::<0, 2>();
    assert_eq!(a, b);
}
