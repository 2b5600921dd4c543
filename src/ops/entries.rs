//! Whole entries of an axis that a list names: picked, or added to.

use super::compiled::compiled;
use crate::element::Element;
use crate::error::IndexError;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::shape::{AnyShape, Axis, Dim, Dims, HasAxis, IndexedBy, Shape, Split, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor, WholeNumber, checked, raw_of, wrap};
use std::borrow::Borrow;

compiled! {
    /// Entries picked, and added to.
    trait Listing {
        fn index_select(x: &Raw<E>, split: Split, rows: &Buffer<usize>, dims: Dims) -> Raw<E> => one_for_all(rows);
        fn index_add(x: &Raw<E>, split: Split, rows: &Buffer<usize>, src: &Raw<E>, dims: Dims) -> Raw<E> => one_for_all(rows);
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

struct IndexAdd {
    rows: Buffer<usize>,
    width: usize,
}

impl<E: Element> Rule<E> for IndexAdd {
    fn name(&self) -> &'static str {
        "index_add"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        if to.wanted(1) {
            to.give(1, layout::take_rows(&grad, self.width, &self.rows));
        }
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("rows", Saved::Positions(&self.rows));
    }
}

fn index_add<E: Element>(
    x: &Raw<E>,
    split: Split,
    rows: &Buffer<usize>,
    src: &Raw<E>,
    dims: Dims,
) -> Raw<E> {
    let (rows, width) = (table_rows(split, rows), split.inner);
    let mut values = Buffer::from_slice(&x.values);
    layout::add_rows(values.fresh(), width, &rows, &src.values);
    let node = parents([x.node.as_ref(), src.node.as_ref()])
        .map(|parents| parents.record(dims, IndexAdd { rows, width }));
    Raw { values, node }
}

/// What a list of indices picks along an axis: whole entries, and not elements one by one.
///
/// The prelude has this trait. Its parameters are inferred from the tensor and the list, so that a call names
/// the axis alone: `x.index_select::<0>(&list)`.
pub trait Selects<const R: usize, S: Shape<R>, E: Element, K: Axis, const BOUND: usize>:
    Borrow<Tensor<R, S, E>>
{
    /// The entries of axis `AXIS` that the indices name, in their order. PyTorch: `index_select`; NumPy: `take`.
    ///
    /// Shapes `S` and `(K,)` to `S` with `K` at `AXIS`. The indices are proven to be below the axis's size. An
    /// entry that was named several times receives the sum of the gradients.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let columns = Indices::<1, shape![4], 3>::from_array([2, 0, 0, 1]).unwrap();
    /// let y = x.index_select::<1>(&columns);
    /// assert_eq!(y.to_array(), [[3.0, 1.0, 1.0, 2.0], [6.0, 4.0, 4.0, 5.0]]);
    /// ```
    fn index_select<const AXIS: usize>(
        &self,
        indices: &Indices<1, (K,), BOUND>,
    ) -> TensorOf<S::With<K>, E>
    where
        S: HasAxis<AXIS, Axis: IndexedBy<BOUND>>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        wrap::<S::With<K>, E>(<E::Ops as Listing<E>>::index_select(
            &x.raw,
            S::SPLIT,
            &indices.values,
            <S::With<K> as AnyShape>::DIMS,
        ))
    }

    /// This tensor with the entries of `src` along axis `AXIS` added to those that the indices name: for
    /// `AXIS` = 0, `out[indices[k]] += src[k]`. PyTorch: `index_add`; NumPy: `add.at`.
    ///
    /// Shapes `S`, `(K,)` and `S` with `K` at `AXIS`, to `S`. The indices are proven to be below the axis's
    /// size. An entry that is named several times receives all that is meant for it. The gradient of `src` is
    /// that of the entries, the tensor's own is passed on.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let points = Tensor::from([[1.0f32, 1.0], [2.0, 2.0], [10.0, 10.0]]);
    /// let clusters = Indices::<1, shape![3], 2>::from_array([0, 0, 1]).unwrap();
    /// let sums = Tensor::<2, shape![2, 2]>::zeros().index_add::<0>(&clusters, &points);
    /// assert_eq!(sums.to_array(), [[3.0, 3.0], [10.0, 10.0]]);
    /// ```
    fn index_add<const AXIS: usize>(
        &self,
        indices: &Indices<1, (K,), BOUND>,
        src: &TensorOf<S::With<K>, E>,
    ) -> Tensor<R, S, E>
    where
        S: HasAxis<AXIS, Axis: IndexedBy<BOUND>>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        Tensor::from_raw(<E::Ops as Listing<E>>::index_add(
            &x.raw,
            S::SPLIT,
            &indices.values,
            raw_of::<S::With<K>, E>(src),
            S::DIMS,
        ))
    }
}

impl<const R: usize, S: Shape<R>, E: Element, K: Axis, const BOUND: usize>
    Selects<R, S, E, K, BOUND> for Tensor<R, S, E>
{
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// [`index_select`](Selects::index_select) by a list that is known only when the program runs, of `K` numbers of
    /// any integer type. PyTorch: `index_select`.
    ///
    /// # Errors
    /// If the list has more or fewer than `K` numbers, or one is negative or not below the axis's size.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// assert_eq!(x.take::<0, 2>(&[2, 0])?.to_array(), [[5.0, 6.0], [1.0, 2.0]]);
    /// let error = x.take::<0, 2>(&[2, 3]).unwrap_err();
    /// assert_eq!(error.to_string(), "index 3 at place 1 is not in 0..3");
    /// # Ok::<(), shapeproof::error::IndexError>(())
    /// ```
    pub fn take<const AXIS: usize, const K: usize>(
        &self,
        list: &[impl WholeNumber],
    ) -> Result<TensorOf<S::With<Dim<K>>, E>, IndexError>
    where
        S: HasAxis<AXIS>,
    {
        let rows = checked(
            list,
            &|_| false,
            <(Dim<K>,) as AnyShape>::DIMS,
            S::SPLIT.len,
        )?;
        let dims = <S::With<Dim<K>> as AnyShape>::DIMS;
        let raw = <E::Ops as Listing<E>>::index_select(&self.raw, S::SPLIT, &rows, dims);
        Ok(wrap::<S::With<Dim<K>>, E>(raw))
    }
}
