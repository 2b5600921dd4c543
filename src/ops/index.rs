//! Lookups by whole numbers: rows of a table, entries along an axis, one-hot vectors.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::shape::{AnyShape, Append, Axis, Dim, Dims, Gather, Shape, Split, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor, wrap};

compiled! {
    /// Lookups.
    trait Lookup {
        fn embedding(table: &Raw<E>, width: usize, rows: &Buffer<usize>, dims: Dims) -> Raw<E>;
        fn gather(x: &Raw<E>, from: Split, to: Split, indices: &Buffer<usize>, dims: Dims) -> Raw<E>;
        fn one_hot(indices: &Buffer<usize>, bound: usize) -> Raw<E>;
    }
}

struct Embedding {
    rows: Buffer<usize>,
    width: usize,
}

impl<E: Element> Rule<E> for Embedding {
    fn name(&self) -> &'static str {
        "embedding"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| {
            layout::add_rows(sum, self.width, &self.rows, &grad)
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("rows", Saved::Positions(&self.rows));
    }
}

fn embedding<E: Element>(table: &Raw<E>, width: usize, rows: &Buffer<usize>, dims: Dims) -> Raw<E> {
    Raw {
        values: layout::take_rows(&table.values, width, rows),
        node: parents([table.node.as_ref()]).map(|parents| {
            let rows = rows.clone();
            parents.record(dims, Embedding { rows, width })
        }),
    }
}

impl<const V: usize, D: Axis, E: Element> Tensor<2, (Dim<V>, D), E> {
    /// Rows of this table, one for each index. PyTorch: `embedding`, `weight[indices]`.
    ///
    /// Shapes `(V, D)` and `S` to `S` with `D` after its last axis. The indices are proven to be below `V`.
    /// A row that was looked up several times receives the sum of their gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let table = Tensor::from([[0.0f32, 1.0], [10.0, 11.0], [20.0, 21.0]]).tracked();
    /// let tokens = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 2]).unwrap();
    /// let rows = table.embedding(&tokens);
    /// assert_eq!(rows.to_array(), [[20.0, 21.0], [0.0, 1.0], [20.0, 21.0], [20.0, 21.0]]);
    /// rows.sum().backward();
    /// assert_eq!(table.grad().unwrap().to_array(), [[1.0, 1.0], [0.0, 0.0], [3.0, 3.0]]);
    /// ```
    pub fn embedding<const R: usize, S>(
        &self,
        indices: &Indices<R, S, V>,
    ) -> TensorOf<<S as Append<D>>::Output, E>
    where
        S: Shape<R> + Append<D>,
    {
        let dims = <<S as Append<D>>::Output as AnyShape>::DIMS;
        wrap::<<S as Append<D>>::Output, E>(<E::Ops as Lookup<E>>::embedding(
            &self.raw,
            D::SIZE,
            &indices.values,
            dims,
        ))
    }
}

struct GatherRule {
    /// Where each element of the result comes from.
    places: Buffer<usize>,
}

impl<E: Element> Rule<E> for GatherRule {
    fn name(&self) -> &'static str {
        "gather"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.add_into(0, |sum| layout::add_rows(sum, 1, &self.places, &grad));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("places", Saved::Positions(&self.places));
    }
}

fn gather<E: Element>(
    x: &Raw<E>,
    from: Split,
    to: Split,
    indices: &Buffer<usize>,
    dims: Dims,
) -> Raw<E> {
    let places = Buffer::from_fn(indices.len(), |place| {
        let (outer, inner) = (place / (to.len * to.inner), place % to.inner);
        (outer * from.len + indices[place]) * from.inner + inner
    });
    Raw {
        values: layout::take_rows(&x.values, 1, &places),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, GatherRule { places })),
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// Entries picked along axis `AXIS`: for two axes and `AXIS` = 1, `out[i][j] = x[i][indices[i][j]]`.
    /// PyTorch: `gather`; NumPy: `take_along_axis`.
    ///
    /// The result has the indices' shape, which equals the tensor's but for axis `AXIS`. The indices are
    /// proven to be below that axis's size. An entry that was picked several times receives the sum of
    /// their gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// let indices = Indices::<2, shape![2, 3], 2>::from_array([[0, 0, 1], [1, 0, 0]]).unwrap();
    /// assert_eq!(x.gather::<1, _, _>(&indices).to_array(), [[1.0, 1.0, 2.0], [4.0, 3.0, 3.0]]);
    /// ```
    pub fn gather<const AXIS: usize, I, const BOUND: usize>(
        &self,
        indices: &Indices<R, I, BOUND>,
    ) -> Tensor<R, I, E>
    where
        S: Gather<AXIS, I, BOUND>,
        I: Shape<R>,
    {
        let (from, to) = (S::FROM, S::TO);
        Tensor::from_raw(<E::Ops as Lookup<E>>::gather(
            &self.raw,
            from,
            to,
            &indices.values,
            I::DIMS,
        ))
    }
}

fn one_hot<E: Element>(indices: &Buffer<usize>, bound: usize) -> Raw<E> {
    let mut values = Buffer::filled(indices.len() * bound, E::zero());
    for (row, &index) in values
        .fresh()
        .chunks_exact_mut(bound.max(1))
        .zip(&**indices)
    {
        row[index] = E::one();
    }
    Raw::input(values)
}

impl<const R: usize, S: Shape<R>, const BOUND: usize> Indices<R, S, BOUND> {
    /// For each index a vector of `BOUND` zeros with a one at that place. PyTorch: `one_hot`.
    ///
    /// Shape `S` to `S` with `Dim<BOUND>` after its last axis.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let labels = Indices::<1, shape![2], 3>::from_array([2, 0]).unwrap();
    /// assert_eq!(labels.one_hot::<f32>().to_array(), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    /// ```
    pub fn one_hot<E: Element>(&self) -> TensorOf<<S as Append<Dim<BOUND>>>::Output, E>
    where
        S: Append<Dim<BOUND>>,
    {
        wrap::<<S as Append<Dim<BOUND>>>::Output, E>(<E::Ops as Lookup<E>>::one_hot(
            &self.values,
            BOUND,
        ))
    }
}
