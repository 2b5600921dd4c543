//! Losses may be summed, kept, sent to threads, and computed without a graph.

use shapeproof::prelude::*;

fn main() {
    let w = Param::<1, shape![3]>::ones();
    let losses: Vec<Tensor<0, ()>> = (1..4).map(|i| (&w * i as f32).sum()).collect();
    let total = losses
        .iter()
        .fold(Tensor::scalar(0.0), |sum, loss| sum + loss);
    std::thread::scope(|scope| scope.spawn(|| total.backward()).join().unwrap());
    assert_eq!(w.grad().unwrap().to_array(), [6.0; 3]);
    assert!(!no_grad(|| w.square()).is_tracked());
}
