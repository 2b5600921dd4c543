//! The three forms of a loss, and losses of rows, in code generic over shapes.

use shapeproof::loss::CrossEntropy;
use shapeproof::prelude::*;
use shapeproof::shape::Rows;

fn forms<const R: usize, S: Shape<R>, E: Element>(x: &Tensor<R, S, E>, target: &Tensor<R, S, E>) -> Tensor<R, S, E> {
    let mean: Tensor<0, (), E> = x.huber(target, E::one());
    let each = x.huber_none(target, E::one());
    each - mean - x.bce_with_logits_sum(target)
}

fn weighted<B: Axis, const C: usize>(x: &Tensor<2, (B, Dim<C>)>, labels: &Indices<1, (B,), C>) -> Tensor<1, (B,)> {
    let options = CrossEntropy { weights: Some(&[1.0; C]), ..Default::default() };
    x.cross_entropy_with_none(labels, options)
}

fn rows<const R: usize, S: Shape<R> + Rows>(x: &Tensor<R, S>) -> TensorOf<S::Batch, f32> {
    x.triplet_margin_none(x, x, 1.0)
}

fn main() {
    let x = Tensor::from([[0.0, 1.0], [2.0, 0.0]]);
    let labels = Indices::from_array([1, 0]).unwrap();
    assert_eq!(forms(&x, &x).dims(), [2, 2]);
    assert_eq!(weighted(&x, &labels).dims(), [2]);
    assert_eq!(rows(&x).to_array(), [1.0, 1.0]);
    let same: Mask<1, shape![2]> = Mask::from_array([true, false]);
    let _: Tensor<1, shape![2]> = x.cosine_embedding_none(&x, &same, 0.5);
}
