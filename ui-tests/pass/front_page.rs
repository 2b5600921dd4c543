//! The program on the front page.

use shapeproof::prelude::*;

fn main() {
    let x: Tensor<2, shape![32, 784]> = Tensor::randn(&mut Rng::seed(0));
    let w = Param::<2, shape![784, 10]>::zeros();
    let b = Param::<1, shape![10]>::zeros();

    let logits = x.matmul(&w) + &b;
    let centred = &logits - logits.mean_keepdim::<1>();
    let loss = centred.square().mean();
    loss.backward();
    let g: Tensor<1, shape![10]> = b.grad().unwrap();
    assert_eq!(g.to_array(), [0.0; 10]);
}
