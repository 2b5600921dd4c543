//! Whole rows picked along an axis, and values put where indices say: written over, or added.

use super::compiled::compiled;
use crate::element::Element;
use crate::error::IndexError;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{layout, order};
use crate::shape::{
    AnyShape, Append, Axis, Dim, Dims, Gather, HasAxis, IndexedBy, Shape, Split, TensorOf,
    check_padding,
};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor, checked, wrap};
use std::fmt;

compiled! {
    /// Rows picked, and values put in their places.
    trait Scattering {
        fn index_select(x: &Raw<E>, split: Split, rows: &Buffer<usize>, dims: Dims) -> Raw<E>;
        fn scatter(x: &Raw<E>, split: Split, positions: &Buffer<usize>, kept: usize, src: &Raw<E>, dims: Dims) -> Raw<E>;
        fn scatter_add(x: &Raw<E>, split: Split, positions: &Buffer<usize>, kept: usize, src: &Raw<E>, dims: Dims) -> Raw<E>;
        fn embedding_padded(table: &Raw<E>, width: usize, rows: &Buffer<usize>, padding: usize, dims: Dims) -> Raw<E>;
    }
}

/// Rows of the middle axis as rows of a table: those numbered `rows`, in each outer block.
fn table_rows(split: Split, rows: &[usize]) -> Buffer<usize> {
    Buffer::from_fn(split.outer * rows.len(), |i| {
        i / rows.len() * split.len + rows[i % rows.len()]
    })
}

struct IndexSelect {
    rows: Buffer<usize>,
    width: usize,
}

impl<E: Element> Rule<E> for IndexSelect {
    fn name(&self) -> &'static str {
        "index_select"
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

fn index_select<E: Element>(x: &Raw<E>, split: Split, rows: &Buffer<usize>, dims: Dims) -> Raw<E> {
    let (rows, width) = (table_rows(split, rows), split.inner);
    Raw {
        values: layout::take_rows(&x.values, width, &rows),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, IndexSelect { rows, width })),
    }
}

struct ScatterAdd {
    /// Where each element of the source is added.
    places: Buffer<usize>,
}

impl<E: Element> Rule<E> for ScatterAdd {
    fn name(&self) -> &'static str {
        "scatter_add"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        if to.wanted(1) {
            to.give(1, layout::take_rows(&grad, 1, &self.places));
        }
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("places", Saved::Positions(&self.places));
    }
}

fn scatter_add<E: Element>(
    x: &Raw<E>,
    split: Split,
    positions: &Buffer<usize>,
    kept: usize,
    src: &Raw<E>,
    dims: Dims,
) -> Raw<E> {
    let places = order::places(positions, split, kept);
    let mut values = Buffer::from_slice(&x.values);
    layout::add_rows(values.fresh(), 1, &places, &src.values);
    let node = parents([x.node.as_ref(), src.node.as_ref()])
        .map(|parents| parents.record(dims, ScatterAdd { places }));
    Raw { values, node }
}

struct Scatter {
    /// Where each element of the source was written.
    places: Buffer<usize>,
    /// 1 for each element of the source that no later one was written over.
    stays: Buffer<u8>,
}

impl<E: Element> Rule<E> for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        if to.wanted(1) {
            let share = Buffer::from_fn(self.places.len(), |i| {
                if self.stays[i] == 1 {
                    grad[self.places[i]]
                } else {
                    E::zero()
                }
            });
            to.give(1, share);
        }
        if to.wanted(0) {
            let mut grad = grad;
            let values = grad.make_mut();
            self.places
                .iter()
                .for_each(|&place| values[place] = E::zero());
            to.give(0, grad);
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("places", Saved::Positions(&self.places));
        visit("stays", Saved::Flags(&self.stays));
    }
}

fn scatter<E: Element>(
    x: &Raw<E>,
    split: Split,
    positions: &Buffer<usize>,
    kept: usize,
    src: &Raw<E>,
    dims: Dims,
) -> Raw<E> {
    let places = order::places(positions, split, kept);
    let mut values = Buffer::from_slice(&x.values);
    let out = values.fresh();
    for (&place, &value) in places.iter().zip(&*src.values) {
        out[place] = value;
    }
    let node = parents([x.node.as_ref(), src.node.as_ref()]).map(|parents| {
        let mut stays = Buffer::filled(places.len(), 0);
        let mut written = vec![false; x.values.len()];
        for (stays, &place) in stays.fresh().iter_mut().zip(&*places).rev() {
            *stays = u8::from(!std::mem::replace(&mut written[place], true));
        }
        parents.record(dims, Scatter { places, stays })
    });
    Raw { values, node }
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

impl<const V: usize, D: Axis, E: Element> Tensor<2, (Dim<V>, D), E> {
    /// [`embedding`](Self::embedding) where row `PADDING` stands for no word and learns nothing: its gradient
    /// stays 0, however often it is looked up. PyTorch: `embedding(padding_idx=PADDING)`.
    ///
    /// Shapes `(V, D)` and `S` to `S` with `D` after its last axis. The row itself is returned as it is. A
    /// `PADDING` that is no row does not compile (in `cargo build`).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let table = Tensor::from([[0.0f32, 1.0], [10.0, 11.0], [20.0, 21.0]]).tracked();
    /// let tokens = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 0]).unwrap();
    /// table.embedding_padded::<0, _, _>(&tokens).sum().backward();
    /// assert_eq!(table.grad().unwrap().to_array(), [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0]]);
    /// ```
    pub fn embedding_padded<const PADDING: usize, const R: usize, S>(
        &self,
        indices: &Indices<R, S, V>,
    ) -> TensorOf<<S as Append<D>>::Output, E>
    where
        S: Shape<R> + Append<D>,
    {
        const { check_padding::<V, PADDING>() }
        let dims = <<S as Append<D>>::Output as AnyShape>::DIMS;
        wrap::<<S as Append<D>>::Output, E>(<E::Ops as Scattering<E>>::embedding_padded(
            &self.raw,
            D::SIZE,
            &indices.values,
            PADDING,
            dims,
        ))
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The entries of axis `AXIS` that the indices name, in their order. PyTorch: `index_select`; NumPy: `take`.
    ///
    /// Shapes `S` and `(K,)` to `S` with `K` at `AXIS`. The indices are proven to be below the axis's size. An
    /// entry that was named several times receives the sum of the gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let columns = Indices::<1, shape![4], 3>::from_array([2, 0, 0, 1]).unwrap();
    /// let y = x.index_select::<1, _, _>(&columns);
    /// assert_eq!(y.to_array(), [[3.0, 1.0, 1.0, 2.0], [6.0, 4.0, 4.0, 5.0]]);
    /// ```
    pub fn index_select<const AXIS: usize, K: Axis, const BOUND: usize>(
        &self,
        indices: &Indices<1, (K,), BOUND>,
    ) -> TensorOf<S::With<K>, E>
    where
        S: HasAxis<AXIS>,
        S::Axis: IndexedBy<BOUND>,
    {
        let dims = <S::With<K> as AnyShape>::DIMS;
        wrap::<S::With<K>, E>(<E::Ops as Scattering<E>>::index_select(
            &self.raw,
            S::SPLIT,
            &indices.values,
            dims,
        ))
    }

    /// [`index_select`](Self::index_select) by a list that is known only when the program runs, of `K` numbers of
    /// any integer type. PyTorch: `index_select`.
    ///
    /// # Errors
    /// If the list has more or fewer than `K` numbers, or one is negative or not below the axis's size.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(x.take::<0, 2, _>(&[2, 0])?.to_array(), [[5.0, 6.0], [1.0, 2.0]]);
    /// let error = x.take::<0, 2, _>(&[2, 3]).unwrap_err();
    /// assert_eq!(error.to_string(), "index 3 at place 1 is not in 0..3");
    /// # Ok::<(), shapeproof::error::IndexError>(())
    /// ```
    pub fn take<const AXIS: usize, const K: usize, T>(
        &self,
        list: &[T],
    ) -> Result<TensorOf<S::With<Dim<K>>, E>, IndexError>
    where
        S: HasAxis<AXIS>,
        T: Copy + TryInto<usize> + fmt::Display,
    {
        let rows = checked(list, |_| false, <(Dim<K>,) as AnyShape>::DIMS, S::SPLIT.len)?;
        let dims = <S::With<Dim<K>> as AnyShape>::DIMS;
        let raw = <E::Ops as Scattering<E>>::index_select(&self.raw, S::SPLIT, &rows, dims);
        Ok(wrap::<S::With<Dim<K>>, E>(raw))
    }

    /// This tensor with elements of `src` written over its own along axis `AXIS`: for two axes and `AXIS` = 1,
    /// `out[i][indices[i][j]] = src[i][j]`. PyTorch: `scatter`; NumPy: `put_along_axis`.
    ///
    /// `indices` and `src` have this tensor's shape but for axis `AXIS`; the indices are proven to be below its
    /// size. Where one place is named several times, the last in row-major order is written and alone receives
    /// the gradient; in PyTorch any of them may be.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0]]);
    /// let at = Indices::<2, shape![(Dim<1>), 2], 3>::from_array([[2, 0]]).unwrap();
    /// let y = x.scatter::<1, _, _>(&at, &Tensor::from([[8.0, 9.0]]));
    /// assert_eq!(y.to_array(), [[9.0, 2.0, 8.0]]);
    /// ```
    pub fn scatter<const AXIS: usize, I, const BOUND: usize>(
        &self,
        indices: &Indices<R, I, BOUND>,
        src: &Tensor<R, I, E>,
    ) -> Self
    where
        S: Gather<AXIS, I, BOUND>,
        I: Shape<R>,
    {
        Self::from_raw(<E::Ops as Scattering<E>>::scatter(
            &self.raw,
            S::FROM,
            &indices.values,
            S::TO.len,
            &src.raw,
            S::DIMS,
        ))
    }

    /// [`scatter`](Self::scatter) that adds: for two axes and `AXIS` = 1, `out[i][indices[i][j]] += src[i][j]`.
    /// PyTorch: `scatter_add`.
    ///
    /// A place that is named several times receives all that is meant for it. The gradient of `src` is that of
    /// the places, the tensor's own is passed on.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let at = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 2]).unwrap();
    /// let counts = Tensor::<1, shape![3]>::zeros().scatter_add::<0, _, _>(&at, &Tensor::ones());
    /// assert_eq!(counts.to_array(), [1.0, 0.0, 3.0]);
    /// ```
    pub fn scatter_add<const AXIS: usize, I, const BOUND: usize>(
        &self,
        indices: &Indices<R, I, BOUND>,
        src: &Tensor<R, I, E>,
    ) -> Self
    where
        S: Gather<AXIS, I, BOUND>,
        I: Shape<R>,
    {
        Self::from_raw(<E::Ops as Scattering<E>>::scatter_add(
            &self.raw,
            S::FROM,
            &indices.values,
            S::TO.len,
            &src.raw,
            S::DIMS,
        ))
    }
}
