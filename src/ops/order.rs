//! Entries of an axis in order, and the first of them.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::kernel::order::{self, Order};
use crate::shape::{AnyShape, Dim, Dims, HasAxis, PositionsOf, Shape, Split, TensorOf, check_topk};
use crate::storage::Buffer;
use crate::tensor::{Positions, Raw, Tensor, wrap};

compiled! {
    /// Sorting.
    trait Sorting {
        fn argsort(x: &Raw<E>, split: Split, order: Order) -> Buffer<usize>;
        fn sort(x: &Raw<E>, split: Split, order: Order, dims: Dims) -> (Raw<E>, Buffer<usize>);
        fn topk(x: &Raw<E>, split: Split, kept: usize, order: Order, dims: Dims) -> (Raw<E>, Buffer<usize>);
    }
}

/// Entries that an order chose; which operation did shows in its name alone.
struct Chosen<const SORT: bool> {
    /// Where each element of the result comes from.
    places: Buffer<usize>,
}

macro_rules! chosen {
    ($($label:literal, $SORT:literal;)*) => {$(
        impl<E: Element> Rule<E> for Chosen<$SORT> {
            fn name(&self) -> &'static str {
        $label
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                to.add_into(0, |sum| layout::add_rows(sum, 1, &self.places, &grad));
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("places", Saved::Positions(&self.places));
            }
        }
    )*};
}
chosen! {
    "sort", true;
    "topk", false;
}

fn argsort<E: Element>(x: &Raw<E>, split: Split, order: Order) -> Buffer<usize> {
    order::argsort(&x.values, split, split.len, order)
}

fn sort<E: Element>(x: &Raw<E>, split: Split, order: Order, dims: Dims) -> (Raw<E>, Buffer<usize>) {
    let at = order::argsort(&x.values, split, split.len, order);
    let places = order::places(&at, split, split.len);
    let values = layout::take_rows(&x.values, 1, &places);
    let node =
        parents([x.node.as_ref()]).map(|parents| parents.record(dims, Chosen::<true> { places }));
    (Raw { values, node }, at)
}

fn topk<E: Element>(
    x: &Raw<E>,
    split: Split,
    kept: usize,
    order: Order,
    dims: Dims,
) -> (Raw<E>, Buffer<usize>) {
    let at = order::argsort(&x.values, split, kept, order);
    let places = order::places(&at, split, kept);
    let values = layout::take_rows(&x.values, 1, &places);
    let node =
        parents([x.node.as_ref()]).map(|parents| parents.record(dims, Chosen::<false> { places }));
    (Raw { values, node }, at)
}

macro_rules! sorts {
    ($Order:ident; $(#[$sort_doc:meta])* $sort:ident; $(#[$argsort_doc:meta])* $argsort:ident; $(#[$topk_doc:meta])* $topk:ident;) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
            $(#[$sort_doc])*
            pub fn $sort<const AXIS: usize>(&self) -> (Self, PositionsOf<S, AXIS, S>)
            where
                S: HasAxis<AXIS>,
            {
                let (values, at) =
                    <E::Ops as Sorting<E>>::sort(&self.raw, S::SPLIT, Order::$Order, S::DIMS);
                (Self::from_raw(values), Positions(at).into())
            }

            $(#[$argsort_doc])*
            pub fn $argsort<const AXIS: usize>(&self) -> PositionsOf<S, AXIS, S>
            where
                S: HasAxis<AXIS>,
            {
                Positions(<E::Ops as Sorting<E>>::argsort(&self.raw, S::SPLIT, Order::$Order)).into()
            }

            $(#[$topk_doc])*
            #[allow(clippy::type_complexity)] // a tensor and its positions, both of the axis cut to `K`
            pub fn $topk<const AXIS: usize, const K: usize>(
                &self,
            ) -> (TensorOf<S::With<Dim<K>>, E>, PositionsOf<S, AXIS, S::With<Dim<K>>>)
            where
                S: HasAxis<AXIS>,
            {
                const { check_topk::<S, AXIS, K>(stringify!($topk)) }
                let dims = <S::With<Dim<K>> as AnyShape>::DIMS;
                let (values, at) =
                    <E::Ops as Sorting<E>>::topk(&self.raw, S::SPLIT, K, Order::$Order, dims);
                (wrap::<S::With<Dim<K>>, E>(values), Positions(at).into())
            }
        }
    };
}

sorts! {
    Ascending;
    /// The entries of axis `AXIS` from the smallest to the largest, and where each stood. PyTorch: `sort`.
    ///
    /// Shape `S` to `S` and to `Indices` of shape `S`, below the axis's size. Equal entries stay in their
    /// order, −0 equals 0, and NaN is last. The gradient goes back to where an entry stood.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[3.0f32, 1.0, 2.0], [0.0, 5.0, 0.0]]);
    /// let (values, at) = x.sort::<1>();
    /// assert_eq!(values.to_array(), [[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]]);
    /// assert_eq!(at.to_array(), [[1, 2, 0], [0, 2, 1]]);
    /// assert_eq!(x.gather::<1>(&at), values);
    /// ```
    sort;
    /// Where the entries of axis `AXIS` stand, from the smallest to the largest; otherwise as
    /// [`sort`](Self::sort). PyTorch: `argsort`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let at: Indices<1, shape![3], 3> = Tensor::from([3.0f32, 1.0, 2.0]).argsort::<0>();
    /// assert_eq!(at.to_array(), [1, 2, 0]);
    /// ```
    argsort;
    /// The `K` smallest entries of axis `AXIS`, the smallest first, and where they stand; otherwise as
    /// [`topk`](Self::topk). PyTorch: `topk(largest=False)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (values, _) = Tensor::from([3.0f32, 1.0, 2.0]).topk_smallest::<0, 2>();
    /// assert_eq!(values.to_array(), [1.0, 2.0]);
    /// ```
    topk_smallest;
}

sorts! {
    Descending;
    /// The entries of axis `AXIS` from the largest to the smallest, and where each stood. PyTorch:
    /// `sort(descending=True)`.
    ///
    /// Equal entries stay in their order here too. NaN counts as larger than any number and is first.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (values, at) = Tensor::from([1.0f32, f32::NAN, 3.0, 1.0]).sort_descending::<0>();
    /// assert_eq!(values.to_array()[1..], [3.0, 1.0, 1.0]);
    /// assert_eq!(at.to_array(), [1, 2, 0, 3]);
    /// ```
    sort_descending;
    /// Where the entries of axis `AXIS` stand, from the largest to the smallest; otherwise as
    /// [`sort_descending`](Self::sort_descending). PyTorch: `argsort(descending=True)`.
    argsort_descending;
    /// The `K` largest entries of axis `AXIS`, the largest first, and where they stand. PyTorch: `topk`.
    ///
    /// Shape `S` to `S` with `Dim<K>` at `AXIS`, and to `Indices` of that shape, below the axis's size. A `K`
    /// larger than the axis does not compile (in `cargo build`). Of equal entries the first counts; NaN counts
    /// as larger than any number. The gradient goes to the entries that were chosen.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 6.0, 4.0, 5.0], [9.0, 5.0, 6.0, 7.0, 8.0]]).tracked();
    /// let (values, at) = x.topk::<1, 2>();
    /// assert_eq!(values.to_array(), [[6.0, 5.0], [9.0, 8.0]]);
    /// assert_eq!(at.to_array(), [[2, 4], [0, 4]]);
    /// values.sum().backward();
    /// let grad = x.grad().unwrap();
    /// assert_eq!(grad.to_array(), [[0.0, 0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0, 1.0]]);
    /// ```
    topk;
}
