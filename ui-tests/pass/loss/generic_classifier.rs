//! A loss generic over the batch and the number of classes.

use shapeproof::prelude::*;

fn loss<B: Axis, const C: usize>(
    logits: &Tensor<2, (B, Dim<C>)>,
    labels: &Indices<1, (B,), C>,
) -> Tensor<0, ()> {
    logits.cross_entropy(labels)
}

fn accuracy<B: Axis, const C: usize>(
    logits: &Tensor<2, (B, Dim<C>)>,
    labels: &Indices<1, (B,), C>,
) -> f32 {
    let predicted = logits.argmax_axis::<1>();
    let right = predicted
        .as_slice()
        .iter()
        .zip(labels.as_slice())
        .filter(|(a, b)| a == b);
    right.count() as f32 / B::SIZE as f32
}

fn main() {
    let logits = Tensor::from([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]);
    let labels = Indices::from_array([2, 1]).unwrap();
    assert!(loss(&logits, &labels).item() > 0.0);
    assert_eq!(accuracy(&logits, &labels), 0.5);
}
