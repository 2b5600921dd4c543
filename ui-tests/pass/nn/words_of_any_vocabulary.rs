//! Words become vectors, and the right ones are counted, in code that is generic over vocabulary, batch and length.

use shapeproof::nn::Embedding;
use shapeproof::prelude::*;

struct Words<const V: usize, const D: usize, E: Element> {
    layers: (Embedding<V, D, E>, Linear<D, V, E>),
}

impl<const V: usize, const D: usize, E: Element> Module<E> for Words<V, D, E> {
    fields!(E: layers);
}

impl<const V: usize, const D: usize, E: Element> Words<V, D, E> {
    fn right<B: Axis, const T: usize>(&self, words: &Indices<2, (B, Dim<T>), V>, next: &Indices<2, (B, Dim<T>), V>) -> usize {
        let logits: Tensor<3, (B, Dim<T>, Dim<V>), E> = self.layers.forward(words);
        logits.argmax_axis::<2>().eq(next).count()
    }

    fn total<const B: usize>(&self, words: &[Indices<1, shape![B], V>]) -> Tensor<0, (), E> {
        words.iter().map(|words| self.layers.forward(words).cross_entropy(words)).sum()
    }
}

fn main() {
    let rng = &mut Rng::seed(0);
    let model = Words::<5, 4, f64> { layers: (Embedding::new(rng), Linear::new(rng)) };
    let words = Indices::<2, shape![2, 3], 5>::from_array([[0, 1, 2], [3, 4, 4]]).unwrap();
    assert!(model.right(&words, &words) <= 6);
    let batch = Indices::<1, shape![2], 5>::from_array([0, 4]).unwrap();
    model.total(&[batch.clone(), batch]).backward();
    assert!(model.clip_grad_norm(1e-3) > 1e-3);
}
