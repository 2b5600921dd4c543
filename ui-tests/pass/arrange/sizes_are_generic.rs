//! Axes are arranged where their size is known, and, by name, where it is generic; other axes may be anything.

use shapeproof::prelude::*;
use shapeproof::shape::{HasAxis, Matrices};

fn padded<B: Axis, E: Element>(x: &Tensor<2, (B, Dim<28>), E>) -> Tensor<2, (B, Dim<32>), E> {
    x.pad::<1, 2, 2>(E::zero()) + x.pad_reflect::<1, 2, 2>() + x.pad_replicate::<1, 2, 2>()
}

fn causal<const R: usize, S: Shape<R> + Matrices, E: Element>(
    scores: &Tensor<R, S, E>,
) -> Tensor<R, S, E> {
    scores.tril(0) - scores.triu(1)
}

fn reversed<const R: usize, S: Shape<R> + HasAxis<0>>(x: &Tensor<R, S>) -> Tensor<R, S> {
    x.flip::<0>().roll::<0>(1)
}

fn frames<const N: usize, const FRAMES: usize>(
    sound: &Tensor<1, shape![N]>,
) -> Tensor<2, shape![FRAMES, 4]> {
    sound.unfold_as::<0, 4, 2, FRAMES>()
}

fn twice<const N: usize, const M: usize, B: Axis>(
    x: &Tensor<2, (B, Dim<N>)>,
) -> Tensor<2, (B, Dim<M>)> {
    x.tile_as::<1, 2, M>() + x.repeat_interleave_as::<1, 2, M>()
}

fn variances<const N: usize, B: Axis>(
    covariances: &Tensor<3, (B, Dim<N>, Dim<N>)>,
) -> Tensor<2, (B, Dim<N>)> {
    covariances.diagonal_as::<N>()
}

fn chain<const N: usize, const M: usize, E: Element>(
    diagonal: &Tensor<1, shape![N], E>,
    beside: &Tensor<1, shape![M], E>,
) -> Tensor<2, shape![N, N], E> {
    diagonal.diag() + beside.diag_above_as::<1, N>() + beside.diag_below_as::<1, N>()
}

fn steps<const N: usize, const M: usize>(x: &Tensor<2, shape![N, N]>) -> Tensor<1, shape![M]> {
    x.diagonal_above_as::<1, M>() - x.diagonal_below_as::<1, M>()
}

fn main() {
    let laplace = chain::<3, 2, _>(&Tensor::full(2.0), &Tensor::full(-1.0));
    assert_eq!(
        laplace.to_array(),
        [[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]
    );
    assert_eq!(steps::<3, 2>(&laplace).to_array(), [0.0, 0.0]);
    assert_eq!(padded(&Tensor::<2, shape![3, 28]>::ones()).dims(), [3, 32]);
    assert_eq!(causal(&Tensor::<2, shape![2, 2]>::ones())[[0, 1]], -1.0);
    assert_eq!(reversed(&Tensor::from([1.0, 2.0])).to_array(), [1.0, 2.0]);
    assert_eq!(frames::<8, 3>(&Tensor::ones()).dims(), [3, 4]);
    assert_eq!(
        twice::<3, 6, _>(&Tensor::<2, shape![2, 3]>::ones()).dims(),
        [2, 6]
    );
    assert_eq!(
        variances(&Tensor::<3, shape![4, 3, 3]>::ones()).dims(),
        [4, 3]
    );
}
