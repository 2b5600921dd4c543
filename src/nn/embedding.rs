//! A learned vector for each word of a vocabulary.

use super::{Layer, Module};
use crate::element::Element;
use crate::shape::{Append, Dim, Shape, TensorOf};
use crate::tensor::{Indices, Param, Tensor};

/// A table of `V` learned vectors of `D` numbers, looked up by indices below `V`. PyTorch: `Embedding(V, D)`.
///
/// The input is [`Indices`] of any shape up to rank 5, the result has `D` as one more axis behind; see
/// [`embedding`](Tensor::embedding).
///
/// ```
/// use shapeproof::nn::Embedding;
/// use shapeproof::prelude::*;
///
/// let layer = Embedding::<100, 16>::new(&mut Rng::seed(0));
/// let tokens = Indices::<2, shape![2, 3], 100>::from_array([[7, 0, 99], [7, 7, 1]]).unwrap();
/// let vectors: Tensor<3, shape![2, 3, 16]> = layer.forward(&tokens);
/// ```
#[derive(Clone, Debug)]
pub struct Embedding<const V: usize, const D: usize, E: Element = f32> {
    /// The vectors, of shape `(V, D)`.
    pub weight: Param<2, (Dim<V>, Dim<D>), E>,
}

impl<const V: usize, const D: usize, E: Element> Embedding<V, D, E> {
    /// Vectors from the standard normal distribution, as in PyTorch.
    pub fn new(rng: &mut impl rand_core::Rng) -> Self {
        Embedding {
            weight: Param::new(Tensor::randn(rng)),
        }
    }
}

impl<const V: usize, const D: usize, E: Element> Module<E> for Embedding<V, D, E> {
    crate::fields!(E: weight);
}

impl<const Q: usize, I, const V: usize, const D: usize, E: Element> Layer<Indices<Q, I, V>>
    for Embedding<V, D, E>
where
    I: Shape<Q> + Append<Dim<D>>,
{
    type Output = TensorOf<<I as Append<Dim<D>>>::Output, E>;
    fn forward(&self, input: &Indices<Q, I, V>) -> Self::Output {
        self.weight.embedding(input)
    }
}
