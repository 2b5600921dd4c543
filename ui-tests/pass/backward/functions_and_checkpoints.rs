//! Operations of one's own and parts that are computed again, generic over shapes and elements.

use shapeproof::autograd::{Function, apply, checkpoint, checkpoint_with_rng};
use shapeproof::element::Element;
use shapeproof::prelude::*;
use std::marker::PhantomData;

/// The sign, with a gradient as if it had been `hardtanh`.
struct Sign<const R: usize, S, E>(PhantomData<fn() -> (S, E)>);

impl<const R: usize, S: Shape<R>, E: Element> Function for Sign<R, S, E> {
    const NAME: &'static str = "binary_sign";
    type Inputs = Tensor<R, S, E>;
    type Output = Tensor<R, S, E>;
    type Saved = Tensor<R, S, E>;

    fn forward(&self, x: Self::Inputs) -> (Self::Output, Self::Saved) {
        (x.sign(), x)
    }
    fn backward(&self, x: &Self::Saved, grad: Self::Output) -> Self::Inputs {
        x.abs().le(E::one()).select(&grad, &Tensor::<R, S, E>::zeros())
    }
}

fn sign<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>) -> Tensor<R, S, E> {
    apply(Sign(PhantomData), x)
}

fn layer<B: Axis, const I: usize, const O: usize>(
    x: &Tensor<2, (B, Dim<I>)>,
    w: &Tensor<2, shape![I, O]>,
    rng: &mut Rng,
) -> Tensor<2, (B, Dim<O>)> {
    let hidden = checkpoint(|(x, w): (Tensor<2, (B, Dim<I>)>, Tensor<2, shape![I, O]>)| x.matmul(&w).gelu(), (x, w));
    checkpoint_with_rng(|x: Tensor<2, (B, Dim<O>)>, rng: &mut Rng| x.dropout(0.5, true, rng), &hidden, rng)
}

fn main() {
    let x = Tensor::from([-2.0f64, -0.5, 0.5]).tracked();
    sign(&x).sum().backward();
    assert_eq!(x.grad().unwrap().to_array(), [0.0, 1.0, 1.0]);

    let x = Tensor::<2, shape![3, 2]>::ones();
    let w = Param::<2, shape![2, 5]>::ones();
    layer(&x, &w, &mut Rng::seed(0)).sum().backward();
    assert!(w.grad().is_some());
}
