//! Parts of a tensor: some entries along an axis, one of them, or all of them in several tensors.

use super::compiled::compiled;
use crate::element::Element;
use crate::error::RangeError;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::shape::{
    AnyShape, Axis, Chunked, Chunks, Dim, Dims, Entries, Entry, HasAxis, Shape, Split, SplitOf,
    TensorOf, check_entries, check_parts,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Parts.
    trait Cut {
        fn narrow(x: &Raw<E>, split: Split, start: usize, len: usize, dims: Dims) -> Raw<E>;
        fn select(x: &Raw<E>, split: Split, index: usize, dims: Dims) -> Raw<E>;
    }
}

/// Entries of an axis, one after the other.
struct Range {
    split: Split,
    start: usize,
    len: usize,
}

impl Range {
    fn of<E: Element>(&self, x: &Buffer<E>) -> Buffer<E> {
        let Split { outer, len, inner } = self.split;
        layout::cut(x, outer, len * inner, self.start * inner, self.len * inner)
    }

    /// Adds the gradient where the values came from, so that many cuts of one tensor cost no more than the
    /// elements they have together.
    fn backward<E: Element>(&self, grad: &[E], to: &mut Cotangents<'_, E>) {
        let Split { outer, len, inner } = self.split;
        to.add_into(0, |sum| {
            layout::add_cut(sum, grad, outer, len * inner, self.start * inner);
        });
    }
}

struct Narrow {
    range: Range,
}

impl<E: Element> Rule<E> for Narrow {
    fn name(&self) -> &'static str {
        "narrow"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.range.backward(&grad, to);
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn narrow<E: Element>(x: &Raw<E>, split: Split, start: usize, len: usize, dims: Dims) -> Raw<E> {
    let range = Range { split, start, len };
    Raw {
        values: range.of(&x.values),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Narrow { range })),
    }
}

struct Select {
    range: Range,
}

impl<E: Element> Rule<E> for Select {
    fn name(&self) -> &'static str {
        "select"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.range.backward(&grad, to);
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

pub(super) fn select<E: Element>(x: &Raw<E>, split: Split, index: usize, dims: Dims) -> Raw<E> {
    let range = Range {
        split,
        start: index,
        len: 1,
    };
    Raw {
        values: range.of(&x.values),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Select { range })),
    }
}

/// [`select`] of values that are the same for every entry of the axis, and there once.
pub(super) fn select_repeated<E: Element>(
    x: &Raw<E>,
    split: Split,
    index: usize,
    dims: Dims,
) -> Raw<E> {
    let range = Range {
        split,
        start: index,
        len: 1,
    };
    Raw {
        values: x.values.clone(),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Select { range })),
    }
}

/// Sizes, in a tuple of axes, of the parts that [`split`](Tensor::split) makes of a tensor of shape `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no sizes of 2 to 8 parts",
    label = "not a tuple of 2 to 8 axes",
    note = "`shape![2, 3]` names the sizes of two parts"
)]
pub trait PartsOf<const AXIS: usize, S, E: Element> {
    /// The tuple of the parts.
    type Tensors;
    /// What the sizes add up to.
    const LEN: usize;

    /// Makes the parts, the first of which starts at 0, by calls of `narrow(start, size, dims)`.
    #[doc(hidden)]
    fn cut(narrow: &dyn Fn(usize, usize, Dims) -> Raw<E>) -> Self::Tensors;
}

macro_rules! parts_of {
    ($($A:ident)+) => {
        impl<S: HasAxis<AXIS>, E: Element, $($A: Axis,)+ const AXIS: usize> PartsOf<AXIS, S, E> for ($($A,)+) {
            type Tensors = ($(TensorOf<S::With<$A>, E>,)+);
            const LEN: usize = 0 $(+ $A::SIZE)+;

            fn cut(narrow: &dyn Fn(usize, usize, Dims) -> Raw<E>) -> Self::Tensors {
                let mut end = 0;
                ($({
                    end += $A::SIZE;
                    wrap::<S::With<$A>, E>(narrow(end - $A::SIZE, $A::SIZE, <S::With<$A> as AnyShape>::DIMS))
                },)+)
            }
        }
    };
}
parts_of! { A B }
parts_of! { A B C }
parts_of! { A B C D }
parts_of! { A B C D F }
parts_of! { A B C D F G }
parts_of! { A B C D F G H }
parts_of! { A B C D F G H I }

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    fn narrowed<const AXIS: usize, A: Axis>(&self, start: usize) -> TensorOf<S::With<A>, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::With<A> as AnyShape>::DIMS;
        wrap::<S::With<A>, E>(<E::Ops as Cut<E>>::narrow(
            &self.raw,
            S::SPLIT,
            start,
            A::SIZE,
            dims,
        ))
    }

    /// `LEN` entries along axis `AXIS`, from `START` on. PyTorch: `narrow`, `x[:, start:start + len]`.
    ///
    /// The entries are proven to be there, for sizes up to 2047; see [`narrow_as`](Self::narrow_as) for
    /// others. Where all axes before `AXIS` have size 1, and so along axis 0, the result shares the tensor's
    /// memory. Entries that were cut out receive the gradient, others nothing.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).tracked();
    /// let y: Tensor<2, shape![2, 2]> = x.narrow::<1, 1, 2>();
    /// assert_eq!(y.to_array(), [[2.0, 3.0], [5.0, 6.0]]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]);
    /// ```
    pub fn narrow<const AXIS: usize, const START: usize, const LEN: usize>(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS, Axis: Entries<START, LEN>>,
    {
        self.narrowed::<AXIS, Dim<LEN>>(START)
    }

    /// [`narrow`](Self::narrow) along an axis of any size, also where it is generic.
    /// PyTorch: `narrow`.
    ///
    /// Entries that are not there do not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn head<const N: usize>(x: &Tensor<1, shape![N]>) -> Tensor<1, shape![2]> {
    ///     x.narrow_as::<0, 0, 2>()
    /// }
    /// assert_eq!(head(&Tensor::from([1.0, 2.0, 3.0])).to_array(), [1.0, 2.0]);
    /// ```
    pub fn narrow_as<const AXIS: usize, const START: usize, const LEN: usize>(
        &self,
    ) -> TensorOf<S::With<Dim<LEN>>, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_entries::<S, AXIS>("narrow_as:", START, LEN) }
        self.narrowed::<AXIS, Dim<LEN>>(START)
    }

    /// `LEN` entries along axis `AXIS`, from `start` on, which is known only when the program runs. PyTorch:
    /// `narrow`, `x[:, start:start + len]`.
    ///
    /// As [`narrow`](Self::narrow) otherwise. More entries than the axis has do not compile; that is found
    /// when the program is built, not by `cargo check`.
    ///
    /// # Errors
    /// If the last of the entries lies beyond the end of the axis.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let text = Tensor::from([3.0f32, 1.0, 4.0, 1.0, 5.0]);
    /// let window: Tensor<1, shape![2]> = text.narrow_at::<0, 2>(3).unwrap();
    /// assert_eq!(window.to_array(), [1.0, 5.0]);
    /// let error = text.narrow_at::<0, 2>(4).unwrap_err();
    /// assert_eq!(error.to_string(), "axis 0, of size 5, does not hold 2 entries from 4 on");
    /// ```
    pub fn narrow_at<const AXIS: usize, const LEN: usize>(
        &self,
        start: usize,
    ) -> Result<TensorOf<S::With<Dim<LEN>>, E>, RangeError>
    where
        S: HasAxis<AXIS>,
    {
        const { check_entries::<S, AXIS>("narrow_at:", 0, LEN) }
        RangeError::check(AXIS, start, LEN, S::SPLIT.len)?;
        Ok(self.narrowed::<AXIS, Dim<LEN>>(start))
    }

    fn selected<const AXIS: usize>(&self, index: usize) -> TensorOf<S::Without, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::Without as AnyShape>::DIMS;
        wrap::<S::Without, E>(<E::Ops as Cut<E>>::select(&self.raw, S::SPLIT, index, dims))
    }

    /// Entry `INDEX` of axis `AXIS`, which goes. PyTorch: `select`, `x[:, index]`.
    ///
    /// The entry is proven to be there, for sizes up to 2047; see [`select_as`](Self::select_as) for others.
    /// Where all axes before `AXIS` have size 1, and so along axis 0, the result shares the tensor's memory.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.select::<0, 1>().to_array(), [4.0, 5.0, 6.0]);
    /// assert_eq!(x.select::<1, 2>().to_array(), [3.0, 6.0]);
    /// ```
    pub fn select<const AXIS: usize, const INDEX: usize>(&self) -> TensorOf<S::Without, E>
    where
        S: HasAxis<AXIS, Axis: Entry<INDEX>>,
    {
        self.selected::<AXIS>(INDEX)
    }

    /// [`select`](Self::select) from an axis of any size, also where it is generic.
    /// PyTorch: `select`.
    ///
    /// An entry that is not there does not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn first<const N: usize>(x: &Tensor<1, shape![N]>) -> Tensor<0, shape![]> {
    ///     x.select_as::<0, 0>()
    /// }
    /// assert_eq!(first(&Tensor::from([7.0, 8.0])).item(), 7.0);
    /// ```
    pub fn select_as<const AXIS: usize, const INDEX: usize>(&self) -> TensorOf<S::Without, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_entries::<S, AXIS>("select_as:", INDEX, 1) }
        self.selected::<AXIS>(INDEX)
    }

    /// Entry `index` of axis `AXIS`, which goes; the index is known only when the program runs. PyTorch:
    /// `select`, `x[:, index]`.
    ///
    /// As [`select`](Self::select) otherwise.
    ///
    /// # Errors
    /// If the axis has no such entry.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.select_at::<0>(1).unwrap().to_array(), [3.0, 4.0]);
    /// let error = x.select_at::<0>(2).unwrap_err();
    /// assert_eq!(error.to_string(), "axis 0, of size 2, does not hold 1 entry from 2 on");
    /// ```
    pub fn select_at<const AXIS: usize>(
        &self,
        index: usize,
    ) -> Result<TensorOf<S::Without, E>, RangeError>
    where
        S: HasAxis<AXIS>,
    {
        RangeError::check(AXIS, index, 1, S::SPLIT.len)?;
        Ok(self.selected::<AXIS>(index))
    }

    fn parts<const AXIS: usize, Sizes>(&self) -> Sizes::Tensors
    where
        S: HasAxis<AXIS>,
        Sizes: PartsOf<AXIS, S, E>,
    {
        Sizes::cut(&|start, len, dims| {
            <E::Ops as Cut<E>>::narrow(&self.raw, S::SPLIT, start, len, dims)
        })
    }

    /// The tensor cut along axis `AXIS` into parts of the sizes `Sizes`, as a tuple of 2 to 8 tensors.
    /// PyTorch: `split`.
    ///
    /// The sizes are proven to add up to the axis, up to 2047; see [`split_as`](Self::split_as) for others.
    /// Along axis 0 the parts share the tensor's memory. As in every shape, a literal 1 is the axis `One`,
    /// which stretches.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// let (head, tail) = x.split::<1, shape![1, 2]>();
    /// assert_eq!(head.to_array(), [[1.0], [4.0]]);
    /// assert_eq!(tail.to_array(), [[2.0, 3.0], [5.0, 6.0]]);
    /// ```
    pub fn split<const AXIS: usize, Sizes>(&self) -> Sizes::Tensors
    where
        S: HasAxis<AXIS>,
        Sizes: SplitOf<S::Axis> + PartsOf<AXIS, S, E>,
    {
        self.parts::<AXIS, Sizes>()
    }

    /// [`split`](Self::split) of an axis of any size, also where it is generic.
    /// PyTorch: `split`.
    ///
    /// Sizes that do not add up to the axis do not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn halves<const N: usize, const H: usize>(x: &Tensor<1, shape![N]>) -> [Tensor<1, shape![H]>; 2] {
    ///     x.split_as::<0, shape![H, H]>().into()
    /// }
    /// let [a, b] = halves::<4, 2>(&Tensor::from([1.0, 2.0, 3.0, 4.0]));
    /// assert_eq!((a.to_array(), b.to_array()), ([1.0, 2.0], [3.0, 4.0]));
    /// ```
    pub fn split_as<const AXIS: usize, Sizes>(&self) -> Sizes::Tensors
    where
        S: HasAxis<AXIS>,
        Sizes: PartsOf<AXIS, S, E>,
    {
        const { check_parts::<S, AXIS>("split_as:", Sizes::LEN) }
        self.parts::<AXIS, Sizes>()
    }

    /// The tensor cut along axis `AXIS` into `COUNT` equal parts, as an array. PyTorch: `chunk`, where the
    /// last part may be smaller.
    ///
    /// The axis is proven to be a multiple of `COUNT`, up to 2047; see [`chunk_as`](Self::chunk_as) for
    /// others. Along axis 0 the parts share the tensor's memory.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0, 4.0]]);
    /// let [q, k]: [Tensor<2, shape![(Dim<1>), 2]>; 2] = x.chunk::<1, 2>();
    /// assert_eq!((q.to_array(), k.to_array()), ([[1.0, 2.0]], [[3.0, 4.0]]));
    /// ```
    pub fn chunk<const AXIS: usize, const COUNT: usize>(
        &self,
    ) -> [TensorOf<Chunked<S, AXIS, COUNT>, E>; COUNT]
    where
        S: HasAxis<AXIS, Axis: Chunks<COUNT>>,
    {
        type Chunk<A, const COUNT: usize> = <A as Chunks<COUNT>>::Chunk;
        std::array::from_fn(|i| {
            let start = i * <Chunk<S::Axis, COUNT> as Axis>::SIZE;
            self.narrowed::<AXIS, Chunk<S::Axis, COUNT>>(start)
        })
    }

    /// [`chunk`](Self::chunk) of an axis of any size, also where it is generic, into `COUNT` parts of `LEN`
    /// entries.
    /// PyTorch: `chunk`.
    ///
    /// Parts that do not make up the axis do not compile; that is found when the program is built, not by
    /// `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![3, 3072]>::ones();
    /// let [q, k, v] = x.chunk_as::<1, 3, 1024>();
    /// assert_eq!([q.dims(), k.dims(), v.dims()], [[3, 1024]; 3]);
    /// ```
    pub fn chunk_as<const AXIS: usize, const COUNT: usize, const LEN: usize>(
        &self,
    ) -> [TensorOf<S::With<Dim<LEN>>, E>; COUNT]
    where
        S: HasAxis<AXIS>,
    {
        const { check_parts::<S, AXIS>("chunk_as:", COUNT * LEN) }
        std::array::from_fn(|i| self.narrowed::<AXIS, Dim<LEN>>(i * LEN))
    }
}
