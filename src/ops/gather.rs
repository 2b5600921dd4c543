//! Elements picked along an axis, each at its own place; and values put where indices say: written over, or added.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{layout, order};
use crate::shape::{Dims, Gather, Shape, Split};
use crate::storage::Buffer;
use crate::tensor::{Indices, Raw, Tensor};
use std::borrow::Borrow;

compiled! {
    /// Elements picked, and values put in their places.
    trait Gathering {
        fn gather(x: &Raw<E>, from: Split, to: Split, indices: &Buffer<usize>, dims: Dims) -> Raw<E>;
        fn scatter(x: &Raw<E>, split: Split, positions: &Buffer<usize>, kept: usize, src: &Raw<E>, dims: Dims) -> Raw<E>;
        fn scatter_add(x: &Raw<E>, split: Split, positions: &Buffer<usize>, kept: usize, src: &Raw<E>, dims: Dims) -> Raw<E>;
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
    let places = order::places(indices, from, to.len);
    Raw {
        values: layout::take_rows(&x.values, 1, &places),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, GatherRule { places })),
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

/// What indices that lie as the tensor does pick, and where they put values: one index for each element.
///
/// The prelude has this trait. Its parameters are inferred from the tensor and the indices, so that a call names
/// the axis alone: `x.gather::<1>(&indices)`.
pub trait Gathers<const R: usize, S: Shape<R>, E: Element, I: Shape<R>, const BOUND: usize>:
    Borrow<Tensor<R, S, E>>
{
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
    /// assert_eq!(x.gather::<1>(&indices).to_array(), [[1.0, 1.0, 2.0], [4.0, 3.0, 3.0]]);
    /// ```
    fn gather<const AXIS: usize>(&self, indices: &Indices<R, I, BOUND>) -> Tensor<R, I, E>
    where
        S: Gather<AXIS, I, BOUND>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        Tensor::from_raw(<E::Ops as Gathering<E>>::gather(
            &x.raw,
            S::FROM,
            S::TO,
            &indices.values,
            I::DIMS,
        ))
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
    /// let y = x.scatter::<1>(&at, &Tensor::from([[8.0, 9.0]]));
    /// assert_eq!(y.to_array(), [[9.0, 2.0, 8.0]]);
    /// ```
    fn scatter<const AXIS: usize>(
        &self,
        indices: &Indices<R, I, BOUND>,
        src: &Tensor<R, I, E>,
    ) -> Tensor<R, S, E>
    where
        S: Gather<AXIS, I, BOUND>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        Tensor::from_raw(<E::Ops as Gathering<E>>::scatter(
            &x.raw,
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
    /// let counts = Tensor::<1, shape![3]>::zeros().scatter_add::<0>(&at, &Tensor::ones());
    /// assert_eq!(counts.to_array(), [1.0, 0.0, 3.0]);
    /// ```
    fn scatter_add<const AXIS: usize>(
        &self,
        indices: &Indices<R, I, BOUND>,
        src: &Tensor<R, I, E>,
    ) -> Tensor<R, S, E>
    where
        S: Gather<AXIS, I, BOUND>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        Tensor::from_raw(<E::Ops as Gathering<E>>::scatter_add(
            &x.raw,
            S::FROM,
            &indices.values,
            S::TO.len,
            &src.raw,
            S::DIMS,
        ))
    }
}

impl<const R: usize, S: Shape<R>, E: Element, I: Shape<R>, const BOUND: usize>
    Gathers<R, S, E, I, BOUND> for Tensor<R, S, E>
{
}
