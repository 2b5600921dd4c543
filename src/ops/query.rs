//! Questions about truth values and numbers: any, all, how many, where, which. No gradient flows through them.

use super::compiled::compiled;
use super::lift::Outcome;
use crate::element::Element;
use crate::graph::level::read;
use crate::kernel::order;
use crate::shape::{Dim, HasAxes, HasAxis, MaskOf, Shape, Split, Step, Steps, TensorOf};
use crate::storage::{Buffer, Mark};
use crate::tensor::{Indices, Mask, Raw, Tensor, mask_of, wrap};

compiled! {
    /// Questions.
    trait Query {
        fn numbers(counts: &[usize]) -> Raw<E> => by_hand;
        fn ones_where(flags: &[u8]) -> Raw<E> => by_hand;
        fn nonzero(x: &Raw<E>) -> Vec<usize> => by_hand;
        fn masked_select(x: &Raw<E>, flags: &Buffer<u8>) -> Vec<E> => by_hand;
        fn unique(x: &Raw<E>) -> Vec<E> => by_hand;
    }
}

/// How many flags are set in each of several parts.
struct Counts {
    counts: Vec<usize>,
    /// What the flags belong to.
    mark: Mark,
}

/// How many values each line of the middle axis adds up to, of so many examples.
fn add_up<T: Copy + Into<usize>>(values: &[T], split: Split, examples: usize) -> Vec<usize> {
    let Split { outer, len, inner } = split;
    let mut sums = vec![0; examples * outer * inner];
    if len * inner > 0 {
        let blocks = values.chunks_exact(len * inner);
        for (sums, block) in sums.chunks_exact_mut(inner).zip(blocks) {
            for row in block.chunks_exact(inner) {
                for (sum, &value) in sums.iter_mut().zip(row) {
                    *sum += value.into();
                }
            }
        }
    }
    sums
}

/// How many flags each line of the middle axis has.
fn counts(flags: &Buffer<u8>, split: Split) -> Counts {
    let mark = flags.mark();
    Counts {
        counts: add_up(flags, split, mark.copies()),
        mark,
    }
}

/// [`counts`] over several axes.
fn counts_over(flags: &Buffer<u8>, steps: &Steps) -> Counts {
    let (last, rest) = steps
        .all()
        .split_first()
        .expect("a list of axes names at least one");
    let Counts { counts, mark } = counts(flags, last.split);
    let further = |so_far: Vec<usize>, step: &Step| add_up(&so_far, step.split, mark.copies());
    Counts {
        counts: rest.iter().fold(counts, further),
        mark,
    }
}

/// Whether each count, out of `len`, is such as `holds` wants.
fn whether(of: &Counts, len: usize, holds: fn(usize, usize) -> bool) -> Buffer<u8> {
    let flag = |i: usize| u8::from(holds(of.counts[i], len));
    Buffer::from_fn(of.counts.len(), flag).marked(of.mark)
}

fn numbers<E: Element>(counts: &[usize]) -> Raw<E> {
    Raw::input(Buffer::from_fn(counts.len(), |i| {
        crate::element::count(counts[i])
    }))
}

macro_rules! quantifiers {
    ($($(#[$doc:meta])* $all:ident $axis:ident $keepdim:ident $axes:ident $axes_keepdim:ident: $holds:expr;)*) => {
        impl<const R: usize, S: Shape<R>> Mask<R, S> {$(
            $(#[$doc])*
            pub fn $axis<const AXIS: usize>(&self) -> MaskOf<S::Without>
            where
                S: HasAxis<AXIS>,
            {
                mask_of::<S::Without>(whether(&counts(&self.flags, S::SPLIT), S::SPLIT.len, $holds))
            }

            #[doc = concat!("[`", stringify!($axis), "`](Self::", stringify!($axis), "), with the axis kept as `One`.")]
            #[doc = concat!("PyTorch: `", stringify!($all), "(keepdim=True)`.")]
            pub fn $keepdim<const AXIS: usize>(&self) -> MaskOf<S::Keepdim>
            where
                S: HasAxis<AXIS>,
            {
                mask_of::<S::Keepdim>(whether(&counts(&self.flags, S::SPLIT), S::SPLIT.len, $holds))
            }

            #[doc = concat!("[`", stringify!($axis), "`](Self::", stringify!($axis), ") over the axes `A`, which go.")]
            #[doc = concat!("PyTorch: `", stringify!($all), "(dim=(..))`.")]
            pub fn $axes<A>(&self) -> MaskOf<S::Without>
            where
                S: HasAxes<A>,
            {
                mask_of::<S::Without>(whether(&counts_over(&self.flags, &S::STEPS), S::STEPS.entries(), $holds))
            }

            #[doc = concat!("[`", stringify!($axes), "`](Self::", stringify!($axes), "), with the axes kept as `One`.")]
            #[doc = concat!("PyTorch: `", stringify!($all), "(dim=(..), keepdim=True)`.")]
            pub fn $axes_keepdim<A>(&self) -> MaskOf<S::Keepdim>
            where
                S: HasAxes<A>,
            {
                mask_of::<S::Keepdim>(whether(&counts_over(&self.flags, &S::STEPS), S::STEPS.entries(), $holds))
            }
        )*}
    };
}
quantifiers! {
    /// Whether one is true along axis `AXIS`, which goes; false along an empty axis. PyTorch: `any(dim=AXIS)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, f32::NAN], [2.0, 3.0]]);
    /// assert_eq!(x.ne(&x).any_axis::<1>().to_array(), [true, false]);
    /// ```
    any any_axis any_keepdim any_axes any_axes_keepdim: |n, _| n > 0;
    /// Whether all are true along axis `AXIS`, which goes; true along an empty axis. PyTorch: `all(dim=AXIS)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, -1.0], [2.0, 3.0]]);
    /// assert_eq!(x.gt(0.0).all_axis::<0>().to_array(), [true, false]);
    ///
    /// let images = Tensor::<4, shape![2, 3, 5, 5]>::ones();
    /// assert_eq!(images.is_finite().all_axes::<axes![1, 2, 3]>().to_array(), [true, true]);
    /// ```
    all all_axis all_keepdim all_axes all_axes_keepdim: |n, len| n == len;
}

impl<const R: usize, S: Shape<R>> Mask<R, S> {
    /// How many are true along axis `AXIS`, which goes. PyTorch: `count_nonzero(dim=AXIS)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, -1.0, 4.0], [2.0, -3.0, -3.0]]);
    /// assert_eq!(x.gt(0.0).count_axis::<1, f32>().to_array(), [2.0, 1.0]);
    /// ```
    pub fn count_axis<const AXIS: usize, E: Element>(&self) -> TensorOf<S::Without, E>
    where
        S: HasAxis<AXIS>,
    {
        wrap::<S::Without, E>(numbered(&counts(&self.flags, S::SPLIT)))
    }

    /// [`count_axis`](Self::count_axis), with the axis kept as `One`. PyTorch: `sum(dim=AXIS, keepdim=True)`.
    pub fn count_keepdim<const AXIS: usize, E: Element>(&self) -> TensorOf<S::Keepdim, E>
    where
        S: HasAxis<AXIS>,
    {
        wrap::<S::Keepdim, E>(numbered(&counts(&self.flags, S::SPLIT)))
    }

    /// How many are true along the axes `A`, which go. PyTorch: `count_nonzero(dim=(..))`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[[1.0f32, -1.0], [2.0, 3.0]], [[-2.0, -3.0], [4.0, -1.0]]]);
    /// assert_eq!(x.gt(0.0).count_axes::<axes![0, 2], f32>().to_array(), [1.0, 3.0]);
    /// ```
    pub fn count_axes<A, E: Element>(&self) -> TensorOf<S::Without, E>
    where
        S: HasAxes<A>,
    {
        wrap::<S::Without, E>(numbered(&counts_over(&self.flags, &S::STEPS)))
    }

    /// [`count_axes`](Self::count_axes), with the axes kept as `One`. PyTorch: `sum(dim=(..), keepdim=True)`.
    pub fn count_axes_keepdim<A, E: Element>(&self) -> TensorOf<S::Keepdim, E>
    where
        S: HasAxes<A>,
    {
        wrap::<S::Keepdim, E>(numbered(&counts_over(&self.flags, &S::STEPS)))
    }

    /// 1 where it is true, 0 elsewhere. PyTorch: `float`, `double`; NumPy: `astype`.
    ///
    /// No gradient flows through it to what was compared.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let labels = Tensor::from([0.5f32, -1.0, 3.0]).gt(0.0).to_tensor::<f32>();
    /// assert_eq!(labels.to_array(), [1.0, 0.0, 1.0]);
    /// ```
    pub fn to_tensor<E: Element>(&self) -> Tensor<R, S, E> {
        let raw = <E::Ops as Query<E>>::ones_where(&self.flags);
        Tensor::from_raw(raw.marked(self.flags.mark()))
    }

    /// Where it is true, in row-major order. PyTorch: `nonzero`; NumPy: `argwhere`.
    ///
    /// How many there are is known only when the program runs, so the result is a plain list.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, -1.0], [-2.0, 3.0]]);
    /// assert_eq!(x.gt(0.0).positions(), [[0, 0], [1, 1]]);
    /// ```
    pub fn positions(&self) -> Vec<[usize; R]> {
        let places = read(&self.flags).iter().enumerate();
        let set = places.filter(|(_, flag)| **flag == 1);
        set.map(|(place, _)| position(place, S::SIZES)).collect()
    }
}

fn numbered<E: Element>(of: &Counts) -> Raw<E> {
    <E::Ops as Query<E>>::numbers(&of.counts).marked(of.mark)
}

/// The position in row-major order, axis by axis.
fn position<const R: usize>(mut place: usize, sizes: [usize; R]) -> [usize; R] {
    let mut position = [0; R];
    for (index, size) in position.iter_mut().zip(sizes).rev() {
        *index = place % size;
        place /= size;
    }
    position
}

fn ones_where<E: Element>(flags: &[u8]) -> Raw<E> {
    Raw::input(Buffer::from_fn(flags.len(), |i| {
        if flags[i] == 1 { E::one() } else { E::zero() }
    }))
}

fn nonzero<E: Element>(x: &Raw<E>) -> Vec<usize> {
    let places = read(&x.values).iter().enumerate();
    let set = places.filter(|(_, value)| **value != E::zero());
    set.map(|(place, _)| place).collect()
}

fn masked_select<E: Element>(x: &Raw<E>, flags: &Buffer<u8>) -> Vec<E> {
    let pairs = read(&x.values).iter().zip(&**read(flags));
    let set = pairs.filter(|(_, flag)| **flag == 1);
    set.map(|(&value, _)| value).collect()
}

fn unique<E: Element>(x: &Raw<E>) -> Vec<E> {
    let all = Split {
        outer: 1,
        len: x.values.len(),
        inner: 1,
    };
    let at = order::argsort(read(&x.values), all, all.len, order::Order::Ascending);
    let mut values: Vec<E> = at.iter().map(|&i| x.values[i]).collect();
    values.dedup_by(|a, b| a == b);
    values
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// How many elements are not 0; NaN is not. PyTorch: `count_nonzero`.
    ///
    /// `x.ne(0.0).count_axis::<AXIS, _>()` counts along an axis.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[0.0f32, 2.0], [-0.0, f32::NAN]]).count_nonzero(), 2);
    /// ```
    pub fn count_nonzero(&self) -> usize {
        <E::Ops as Query<E>>::nonzero(&self.raw).len()
    }

    /// Where the elements are not 0, in row-major order. PyTorch: `nonzero`; NumPy: `argwhere`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[0.0f32, 2.0], [3.0, 0.0]]).nonzero(), [[0, 1], [1, 0]]);
    /// ```
    pub fn nonzero(&self) -> Vec<[usize; R]> {
        let places = <E::Ops as Query<E>>::nonzero(&self.raw);
        places
            .into_iter()
            .map(|place| position(place, S::SIZES))
            .collect()
    }

    /// The elements where the mask is true, in row-major order. PyTorch: `masked_select`.
    ///
    /// How many there are is known only when the program runs, so the result is a plain list, and no gradient
    /// flows through it. [`select`](Mask::select) keeps the shape and the gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, -1.0], [-2.0, 3.0]]);
    /// assert_eq!(x.masked_select(&x.gt(0.0)), [1.0, 3.0]);
    /// ```
    pub fn masked_select(&self, mask: &Mask<R, S>) -> Vec<E> {
        <E::Ops as Query<E>>::masked_select(&self.raw, &mask.flags)
    }

    /// The different elements, from the smallest to the largest. PyTorch: `unique`.
    ///
    /// NaN equals nothing, so each one is listed, at the end. No gradient flows through the list.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([3.0f32, 1.0, 3.0, -2.0]).unique(), [-2.0, 1.0, 3.0]);
    /// ```
    pub fn unique(&self) -> Vec<E> {
        <E::Ops as Query<E>>::unique(&self.raw)
    }
}

impl<const R: usize, S: Shape<R>, const BOUND: usize> Indices<R, S, BOUND> {
    /// How often each number below `BOUND` occurs. PyTorch: `bincount(minlength=BOUND)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let labels = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 2]).unwrap();
    /// assert_eq!(labels.bincount::<f32>().to_array(), [1.0, 0.0, 3.0]);
    /// ```
    pub fn bincount<E: Element>(&self) -> Tensor<1, (Dim<BOUND>,), E> {
        let mark = self.values.mark();
        let mut counts = vec![0; BOUND * mark.copies()];
        for (place, &index) in self.values.iter().enumerate() {
            counts[place / S::NUMEL * BOUND + index] += 1;
        }
        Tensor::from_raw(numbered(&Counts { counts, mark }))
    }

    /// The different numbers, from the smallest to the largest. PyTorch: `unique`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let labels = Indices::<1, shape![4], 3>::from_array([2, 0, 2, 2]).unwrap();
    /// assert_eq!(labels.unique(), [0, 2]);
    /// ```
    pub fn unique(&self) -> Vec<usize> {
        let mut numbers = read(&self.values).to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}
