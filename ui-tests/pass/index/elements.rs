//! An element is named by as many numbers as there are axes.

use shapeproof::prelude::*;

fn trace<const N: usize>(x: &Tensor<2, shape![N, N]>) -> f32 {
    (0..N).map(|i| x[[i, i]]).sum()
}

fn main() {
    let mut x = Tensor::<2, shape![3, 3]>::eye();
    x[[0, 0]] = 5.0;
    assert_eq!(trace(&x), 7.0);
    assert_eq!(Tensor::scalar(2.0)[[]], 2.0);
}
