//! Attention over any batch and head axes, with a mask of its own or none.

use shapeproof::prelude::*;

fn attend<B: Axis, H: Axis, Q: Axis, K: Axis, D: Axis, E: Element>(
    queries: &Tensor<4, (B, H, Q, D), E>,
    keys: &Tensor<4, (B, H, K, D), E>,
    mask: &Mask<4, (B, H, Q, K)>,
) -> Tensor<4, (B, H, Q, D), E> {
    queries.scaled_dot_product_attention(keys, keys, mask, false)
}

fn causal<const T: usize, const D: usize>(x: &Param<2, shape![T, D]>) -> Tensor<2, shape![T, D]> {
    x.scaled_dot_product_attention(x, x, (), true)
}

fn biased<T: Axis, D: Axis>(x: &Tensor<2, (T, D)>, bias: &Param<2, (T, T)>) -> Tensor<2, (T, D)> {
    x.scaled_dot_product_attention(x, x, bias, false)
}

fn main() {
    let q = Tensor::<4, shape![2, 3, 4, 5]>::ones();
    let k = Tensor::<4, shape![2, 3, 6, 5]>::ones();
    let mask = Tensor::<4, shape![2, 3, 4, 6]>::zeros().ge(0.0);
    assert_eq!(attend(&q, &k, &mask)[[1, 2, 3, 4]], 1.0);

    let x = Param::<2, shape![3, 2]>::zeros();
    assert_eq!(causal(&x).to_array(), [[0.0; 2]; 3]);
    assert_eq!(biased(&x, &Param::zeros()).to_array(), [[0.0; 2]; 3]);
}
