//! A product of matrices whose sizes are all generic, with a bias and without, and its gradient.

use shapeproof::prelude::*;

fn least_squares<const N: usize, const D: usize, const K: usize, E: Element>(
    x: &Tensor<2, shape![N, D], E>,
    w: &Param<2, shape![D, K], E>,
    y: &Tensor<2, shape![N, K], E>,
) -> Tensor<0, (), E> {
    x.matmul(w).mse(y)
}

fn layer<const N: usize, const I: usize, const O: usize, E: Element>(
    x: &Tensor<2, shape![N, I], E>,
    weight: &Param<2, shape![O, I], E>,
    bias: &Param<1, shape![O], E>,
) -> Tensor<2, shape![N, O], E> {
    x.linear(weight, bias)
}

fn main() {
    let x = Tensor::<2, shape![2, 2], f64>::eye();
    let w = Param::zeros();
    least_squares(&x, &w, &Tensor::from([[2.0], [4.0]])).backward();
    assert_eq!(layer(&x, &Param::ones(), &Param::ones()).to_array(), [[2.0; 3]; 2]);
    assert_eq!(w.grad().unwrap().to_array(), [[-2.0], [-4.0]]);
}
