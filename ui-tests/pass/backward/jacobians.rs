//! Jacobians and Hessians in code that is generic over sizes, shapes and elements.

use shapeproof::autograd::{hessian, jacfwd, jacrev};
use shapeproof::dual::Dual;
use shapeproof::prelude::*;
use shapeproof::shape::AppendAll;

fn of_vectors<const N: usize, E: Element>(x: &Tensor<1, (Dim<N>,), E>) -> Tensor<2, (Dim<N>, Dim<N>), E> {
    let reverse: Tensor<2, (Dim<N>, Dim<N>), E> = jacrev(|x| x.tanh().cumsum::<0>(), x);
    reverse + jacfwd(|x| x.tanh().cumsum::<0>(), x)
}

fn of_shapes<const R: usize, S: Shape<R> + AppendAll<S>, E: Element>(
    x: &Tensor<R, S, E>,
) -> TensorOf<<S as AppendAll<S>>::Output, E> {
    jacrev(|x| x.exp(), x)
}

fn curvature<const N: usize>(
    loss: impl Fn(Tensor<1, (Dim<N>,), Dual<f64>>) -> Tensor<0, (), Dual<f64>>,
    x: &Tensor<1, (Dim<N>,), f64>,
) -> Tensor<2, (Dim<N>, Dim<N>), f64> {
    hessian(loss, x)
}

fn main() {
    let x = Tensor::from([0.0, 0.0]);
    assert_eq!(of_vectors(&x).to_array(), [[2.0, 0.0], [2.0, 2.0]]);
    let square: Tensor<2, shape![2, 2], f64> = of_shapes(&x);
    assert_eq!(square.to_array(), [[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(curvature(|x| x.square().sum(), &x).to_array(), [[2.0, 0.0], [0.0, 2.0]]);
}
