//! `A: Axis` stands for `Dim` of any size and for `One`.

use shapeproof::prelude::*;

fn softmax<B: Axis, N: Axis, E: Element>(x: &Tensor<2, (B, N), E>) -> Tensor<2, (B, N), E> {
    let e = (x - x.max_keepdim::<1>()).exp();
    &e / e.sum_keepdim::<1>()
}

fn main() {
    assert_eq!(
        softmax(&Tensor::<2, shape![3, 4]>::zeros()).to_array(),
        [[0.25; 4]; 3]
    );
    assert_eq!(
        softmax(&Tensor::<2, shape![1, 2]>::zeros()).to_array(),
        [[0.5; 2]]
    );
    assert_eq!(
        softmax(&Tensor::<2, shape![3, 1]>::zeros()).to_array(),
        [[1.0]; 3]
    );
}
