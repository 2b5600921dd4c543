//! Labels are generics: in code generic over axes, of tensors by reference, of parameters, in any element.

use shapeproof::prelude::*;

fn heads<B: Axis, T: Axis, H: Axis, D: Axis, E: Element>(
    q: &Tensor<4, (B, T, H, D), E>,
    k: &Tensor<4, (B, T, H, D), E>,
) -> Tensor<4, (B, H, T, T), E> {
    // The result's two axes of one size are two labels.
    einsum!(<b, i, j, h, d> (b, i, h, d), (b, j, h, d) -> (b, h, i, j); q, k)
}

fn bilinear<const M: usize, const N: usize>(
    x: &Tensor<1, shape![M]>,
    a: &Param<2, shape![M, N]>,
    y: &Tensor<1, shape![N]>,
) -> Tensor<0, ()> {
    einsum!(<i, j,> (i,), (i, j,), (j,) -> (); x, a, y,)
}

fn main() {
    let q = Tensor::<4, shape![2, 5, 3, 4]>::ones();
    assert_eq!(heads(&q, &q)[[1, 2, 4, 3]], 4.0);
    let a = Param::<2, shape![2, 3]>::zeros();
    assert_eq!(bilinear(&Tensor::ones(), &a, &Tensor::ones()).item(), 0.0);
    let traces: Tensor<1, shape![2]> = einsum!(<B, N> (B, N, N) -> (B); Tensor::<3, shape![2, 4, 4]>::ones());
    assert_eq!(traces.to_array(), [4.0, 4.0]);
    let row = einsum!(<i, j> (i, j) -> (j); Tensor::<2, shape![3, 1]>::ones());
    let _: Tensor<1, shape![1]> = row;
}
