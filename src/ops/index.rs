//! Rows of a table, looked up by whole numbers; and one-hot vectors.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::shape::{AnyShape, Append, Dim, Dims, Shape, Table, TableOf, TensorOf, check_padding};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor, wrap};
use std::borrow::Borrow;

compiled! {
    /// Lookups.
    trait Lookup {
        fn embedding(table: &Raw<E>, width: usize, rows: &Buffer<usize>, dims: Dims) -> Raw<E> => one_for_all(table);
        fn embedding_padded(table: &Raw<E>, width: usize, rows: &Buffer<usize>, padding: usize, dims: Dims) -> Raw<E> => one_for_all(table);
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

struct PaddedEmbedding {
    rows: Buffer<usize>,
    width: usize,
    padding: usize,
}

impl<E: Element> Rule<E> for PaddedEmbedding {
    fn name(&self) -> &'static str {
        "embedding_padded"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let width = self.width;
        to.add_into(0, |sum| {
            for (i, row) in self.rows.chunks(1).enumerate() {
                if row != [self.padding] {
                    layout::add_rows(sum, width, row, &grad[i * width..][..width]);
                }
            }
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("rows", Saved::Positions(&self.rows));
        visit("padding", Saved::Number(self.padding as f64));
    }
}

fn embedding_padded<E: Element>(
    table: &Raw<E>,
    width: usize,
    rows: &Buffer<usize>,
    padding: usize,
    dims: Dims,
) -> Raw<E> {
    Raw {
        values: layout::take_rows(&table.values, width, rows),
        node: parents([table.node.as_ref()]).map(|parents| {
            let rows = rows.clone();
            let rule = PaddedEmbedding {
                rows,
                width,
                padding,
            };
            parents.record(dims, rule)
        }),
    }
}

/// The shape of what indices of shape `I` look up in a table of shape `S`.
type Found<S, I> = <I as Append<<S as Table>::Row>>::Output;

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// Rows of this table, one for each index. PyTorch: `embedding`, `weight[indices]`.
    ///
    /// Shapes `(V, D)` and `I` to `I` with `D` after its last axis. The indices are proven to be below `V`.
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
    pub fn embedding<const Q: usize, I, const V: usize>(
        &self,
        indices: &Indices<Q, I, V>,
    ) -> TensorOf<Found<S, I>, E>
    where
        S: Table + TableOf<V>,
        I: Shape<Q> + Append<S::Row>,
    {
        wrap::<Found<S, I>, E>(<E::Ops as Lookup<E>>::embedding(
            &self.raw,
            S::WIDTH,
            &indices.values,
            <Found<S, I> as AnyShape>::DIMS,
        ))
    }
}

/// The typed method behind `embedding` with a padding row.
///
/// The prelude has this trait. Its parameters are inferred from the table and the indices, so that a call names
/// the row alone: `table.embedding_padded::<0>(&tokens)`.
pub trait Embeds<
    const R: usize,
    S: Shape<R>,
    E: Element,
    const Q: usize,
    I: Shape<Q>,
    const V: usize,
>: Borrow<Tensor<R, S, E>>
{
    /// [`embedding`](Tensor::embedding) where row `PADDING` stands for no word and learns nothing: its gradient
    /// stays 0, however often it is looked up. PyTorch: `embedding(padding_idx=PADDING)`.
    ///
    /// Shapes `(V, D)` and `I` to `I` with `D` after its last axis. The row itself is returned as it is. A
    /// `PADDING` that is no row does not compile (in `cargo build`).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let table = Tensor::from([[0.0f32, 1.0], [10.0, 11.0], [20.0, 21.0]]).tracked();
    /// let tokens = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 0]).unwrap();
    /// table.embedding_padded::<0>(&tokens).sum().backward();
    /// assert_eq!(table.grad().unwrap().to_array(), [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0]]);
    /// ```
    fn embedding_padded<const PADDING: usize>(
        &self,
        indices: &Indices<Q, I, V>,
    ) -> TensorOf<Found<S, I>, E>
    where
        S: Table + TableOf<V>,
        I: Append<S::Row>,
    {
        const { check_padding::<V, PADDING>() }
        let x: &Tensor<R, S, E> = self.borrow();
        wrap::<Found<S, I>, E>(<E::Ops as Lookup<E>>::embedding_padded(
            &x.raw,
            S::WIDTH,
            &indices.values,
            PADDING,
            <Found<S, I> as AnyShape>::DIMS,
        ))
    }
}

impl<const R: usize, S: Shape<R>, E: Element, const Q: usize, I: Shape<Q>, const V: usize>
    Embeds<R, S, E, Q, I, V> for Tensor<R, S, E>
{
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
