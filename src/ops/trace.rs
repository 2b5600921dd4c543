//! The diagonal of square matrices: summed, or made of a vector.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{
    AnyShape, Dims, DoubleLast, HasDiagonal, RoomForDiagonal, Shape, Split, SquareLast, TensorOf,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Diagonals.
    trait Diagonals {
        fn trace(x: &Raw<E>, count: usize, side: usize, dims: Dims) -> Raw<E>;
        fn diag(x: &Raw<E>, side: usize, dims: Dims) -> Raw<E>;
    }
}

/// Where element `i` of all diagonals stands in matrices of `side` rows.
fn place(i: usize, side: usize) -> usize {
    i / side * side * side + i % side * (side + 1)
}

struct Trace {
    side: usize,
}

impl<E: Element> Rule<E> for Trace {
    fn name(&self) -> &'static str {
        "trace"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            for i in 0..grad.len() * self.side {
                sum[place(i, self.side)] += grad[i / self.side];
            }
        });
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn trace<E: Element>(x: &Raw<E>, count: usize, side: usize, dims: Dims) -> Raw<E> {
    let diagonals = Buffer::from_fn(count * side, |i| x.values[place(i, side)]);
    let split = Split {
        outer: count,
        len: side,
        inner: 1,
    };
    Raw {
        values: kernel::sum_axis(&diagonals, split),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Trace { side })),
    }
}

struct Diag {
    side: usize,
}

impl<E: Element> Rule<E> for Diag {
    fn name(&self) -> &'static str {
        "diag"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let len = grad.len() / self.side.max(1);
        to.give(0, Buffer::from_fn(len, |i| grad[place(i, self.side)]));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn diag<E: Element>(x: &Raw<E>, side: usize, dims: Dims) -> Raw<E> {
    let mut values = Buffer::filled(x.values.len() * side, E::zero());
    let out = values.fresh();
    for (i, &value) in x.values.iter().enumerate() {
        out[place(i, side)] = value;
    }
    Raw {
        values,
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Diag { side })),
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The sum of the diagonal of a square matrix, or of each of a batch. PyTorch: `trace`.
    ///
    /// Shape `(…, N, N)` to `(…)`. Gradient g on the diagonal, 0 elsewhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]).trace().item(), 5.0);
    /// ```
    pub fn trace(&self) -> TensorOf<S::Batch, E>
    where
        S: HasDiagonal + SquareLast,
    {
        wrap::<S::Batch, E>(<E::Ops as Diagonals<E>>::trace(
            &self.raw,
            S::COUNT,
            S::SIDE,
            <S::Batch as AnyShape>::DIMS,
        ))
    }

    /// The matrix with this vector on its diagonal and 0 elsewhere; of a batch of vectors, a batch of
    /// matrices. PyTorch: `diag_embed`, `diag`.
    ///
    /// Shape `(…, N)` to `(…, N, N)`. The gradient is the diagonal of g.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).diag().to_array(), [[1.0, 0.0], [0.0, 2.0]]);
    /// ```
    pub fn diag(&self) -> TensorOf<S::Doubled, E>
    where
        S: DoubleLast + RoomForDiagonal,
    {
        wrap::<S::Doubled, E>(<E::Ops as Diagonals<E>>::diag(
            &self.raw,
            S::SIDE,
            <S::Doubled as AnyShape>::DIMS,
        ))
    }
}
