//! A training loop that knows neither the model nor its input.

use shapeproof::optim::SgdConfig;
use shapeproof::prelude::*;

fn fit<M, X, const R: usize, S: Shape<R>>(
    mut model: M,
    x: &X,
    y: &Tensor<R, S>,
    steps: usize,
) -> f32
where
    M: Module + Layer<X, Output = Tensor<R, S>>,
{
    let mut sgd = Sgd::new(
        &model,
        SgdConfig {
            lr: 0.1,
            ..Default::default()
        },
    );
    for _ in 0..steps {
        model.zero_grad();
        model.forward(x).mse(y).backward();
        sgd.step(&mut model);
    }
    model.forward(x).mse(y).item()
}

fn main() {
    let x = Tensor::from([[0.0, 1.0], [1.0, 0.0]]);
    let y = Tensor::from([[1.0], [-1.0]]);
    let model = || Linear::<2, 1>::new(&mut Rng::seed(0));
    assert!(fit(model(), &x, &y, 50) < fit(model(), &x, &y, 1));
}
