//! Derivatives along directions in code that is generic over shapes and elements, at every level of duals.

use shapeproof::autograd::{hvp, jvp};
use shapeproof::dual::Dual;
use shapeproof::element::Element;
use shapeproof::prelude::*;

struct Model<E: Element>(Linear<3, 2, E>);

fn energy<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<0, (), E> {
    (x.square() + x.sin()).sum()
}

/// How fast the slope along `v` changes along `v`.
fn curvature<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>, v: &Tensor<R, S, E>) -> E {
    let (_, change) = hvp(|x| energy(&x), x, v);
    (change * v).sum().item()
}

fn slope<E: Element>(x: E) -> E {
    jvp(|x: Tensor<0, (), Dual<E>>| energy(&x), &Tensor::scalar(x), &Tensor::ones()).1.item()
}

fn main() {
    let x = Tensor::<2, shape![2, 2], f64>::zeros();
    assert_eq!(curvature(&x, &Tensor::ones()), 8.0);
    assert_eq!(slope(0.0f32), 1.0);
    assert_eq!(slope(Dual::new(0.0f64, 1.0)).tangent, 2.0);
    let model = Model(Linear::<3, 2, Dual<f32>>::new(&mut Rng::seed(0)));
    assert_eq!(model.0.forward(&Tensor::<2, shape![5, 3], Dual<f32>>::ones()).dims(), [5, 2]);
}
