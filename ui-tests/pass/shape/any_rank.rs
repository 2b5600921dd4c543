//! A function of every rank needs `S: Shape<R>` and nothing else.

use shapeproof::prelude::*;

fn mish<const R: usize, S: Shape<R>>(x: &Tensor<R, S>) -> Tensor<R, S> {
    x * x.softplus().tanh()
}

fn distance<const R: usize, S: Shape<R>>(x: &Tensor<R, S>, y: &Tensor<R, S>) -> Tensor<0, ()> {
    ((x - y).square().sum() + 1.0).sqrt() * 0.5
}

fn main() {
    assert_eq!(mish(&Tensor::scalar(0.0)).item(), 0.0);
    assert_eq!(
        mish(&Tensor::<6, shape![1, 2, 1, 2, 1, 2]>::zeros()).numel(),
        8
    );
    let x = Tensor::<3, shape![2, 3, 4]>::ones();
    assert_eq!(distance(&x, &x).item(), 0.5);
}
