//! Axes of size 1 come and go.

use shapeproof::prelude::*;

fn predictions<B: Axis>(model: &Linear<4, 1>, x: &Tensor<2, (B, Dim<4>)>) -> Tensor<1, (B,)> {
    model.forward(x).squeeze::<1>()
}

fn main() {
    let model = Linear::new(&mut Rng::seed(0));
    let y = predictions(&model, &Tensor::<2, shape![8, 4]>::zeros());
    assert_eq!(y.mae(&y).item(), 0.0);
    assert_eq!(y.unsqueeze::<0>().unsqueeze::<2>().dims(), [1, 8, 1]);
}
