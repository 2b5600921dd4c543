//! The same values in another arrangement: reshaped, permuted, stretched.

use super::compiled::compiled;
use super::examples::{at_depth, dims_of};
use super::lift::Outcome;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, anomaly, parents};
use crate::kernel::{self, layout};
use crate::shape::{
    AnyShape, Axis, AxisAt, BroadcastTo, Dim, Dims, Fixed, HasAxis, MAX_RANK, Plan, Shape, Squeeze,
    Stretch, TensorOf, Transpose, TransposeLast, TwoAxes, Unsqueeze, check_flatten,
    check_permutation, check_reshape,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Rearrangements.
    trait Layout {
        fn reshape(x: &Raw<E>, dims: Dims) -> Raw<E>;
        fn permute(x: &Raw<E>, from: Dims, to: Dims, axes: &[usize]) -> Raw<E> => by_hand;
        fn broadcast_to(x: &Raw<E>, plan: &'static Plan, dims: Dims) -> Raw<E> => planned;
    }
}

/// The values stay where they are; only the type changes.
struct Reshape;

impl<E: Element> Rule<E> for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, grad);
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn reshape<E: Element>(x: &Raw<E>, dims: Dims) -> Raw<E> {
    Raw {
        values: x.values.clone(),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Reshape)),
    }
}

/// The tensor's data as shape `T`, which has as many elements.
pub(crate) fn reshaped<T: AnyShape, E: Element>(x: &Raw<E>) -> TensorOf<T, E> {
    wrap::<T, E>(<E::Ops as Layout<E>>::reshape(x, T::DIMS))
}

struct Permute {
    /// The sizes of the result's axes.
    dims: Dims,
    /// The permutation that undoes this one.
    inverse: [usize; MAX_RANK + 1],
}

impl<E: Element> Rule<E> for Permute {
    fn name(&self) -> &'static str {
        "permute"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let inverse = &self.inverse[..self.dims.len()];
        to.give(0, layout::permute(&grad, self.dims, inverse));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn permute<E: Element>(x: &Raw<E>, from: Dims, to: Dims, axes: &[usize]) -> Raw<E> {
    anomaly::reads(&x.values);
    let mark = x.values.mark();
    if !mark.is_none() {
        // One more axis in front, which stays where it is.
        let x = at_depth(x, mark.depth());
        let more = |dims: Dims| dims_of(&[&[x.values.mark().copies()], dims].concat());
        let axes: Vec<_> = std::iter::once(0)
            .chain(axes.iter().map(|axis| axis + 1))
            .collect();
        let all = permuted(&x, more(from), more(to), &axes);
        return all.marked(mark.each()).examined(to);
    }
    permuted(x, from, to, axes).examined(to)
}

fn permuted<E: Element>(x: &Raw<E>, from: Dims, to: Dims, axes: &[usize]) -> Raw<E> {
    Raw {
        values: layout::permute(&x.values, from, axes),
        node: parents([x.node.as_ref()]).map(|parents| {
            let mut inverse = [0; MAX_RANK + 1];
            for (i, &axis) in axes.iter().enumerate() {
                inverse[axis] = i;
            }
            parents.record(to, Permute { dims: to, inverse })
        }),
    }
}

/// The axes 0 to R − 1 with `i` and `j` exchanged.
const fn swapped<const R: usize>(i: usize, j: usize) -> [usize; R] {
    let mut axes = [0; R];
    let mut k = 0;
    while k < R {
        axes[k] = if k == i {
            j
        } else if k == j {
            i
        } else {
            k
        };
        k += 1;
    }
    axes
}

struct BroadcastRule {
    plan: &'static Plan,
}

impl<E: Element> Rule<E> for BroadcastRule {
    fn name(&self) -> &'static str {
        "broadcast_to"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, kernel::sum_to(grad, self.plan.lhs_fold()));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

pub(super) fn broadcast_to<E: Element>(x: &Raw<E>, plan: &'static Plan, dims: Dims) -> Raw<E> {
    Raw {
        values: layout::stretch(&x.values, plan),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, BroadcastRule { plan })),
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The same elements in row-major order as shape `T`. Nothing is copied. PyTorch: `reshape`, `view`.
    ///
    /// Both shapes must have the same number of elements; otherwise it does not compile. That is found
    /// when the program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.reshape::<shape![3, 2]>().to_array(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    /// ```
    pub fn reshape<T: AnyShape>(&self) -> TensorOf<T, E> {
        const { check_reshape::<S, T>() }
        reshaped::<T, E>(&self.raw)
    }

    /// All elements in row-major order as a vector of `N`. Nothing is copied. PyTorch: `flatten`.
    ///
    /// `N` follows from the type that is wanted. A wrong one does not compile; that is found when the
    /// program is built, not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x: Tensor<1, shape![6]> = Tensor::<2, shape![2, 3]>::ones().flatten();
    /// assert_eq!(x.to_array(), [1.0; 6]);
    /// ```
    pub fn flatten<const N: usize>(&self) -> Tensor<1, (Dim<N>,), E> {
        const { check_flatten::<S, N>() }
        reshaped::<(Dim<N>,), E>(&self.raw)
    }

    /// The tensor with axes `I` and `J` exchanged. The values are copied. PyTorch: `transpose`,
    /// `swapaxes`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<3, shape![2, 3, 4]>::ones();
    /// assert_eq!(x.transpose::<0, 2>().dims(), [4, 3, 2]);
    /// ```
    pub fn transpose<const I: usize, const J: usize>(
        &self,
    ) -> TensorOf<<S as Transpose<I, J>>::Output, E>
    where
        S: Transpose<I, J>,
    {
        let to = <<S as Transpose<I, J>>::Output as AnyShape>::DIMS;
        wrap::<<S as Transpose<I, J>>::Output, E>(<E::Ops as Layout<E>>::permute(
            &self.raw,
            S::DIMS,
            to,
            &const { swapped::<R>(I, J) },
        ))
    }

    /// The tensor with its last two axes exchanged: the transpose of a matrix, or of each of a batch. The
    /// values are copied. PyTorch: `mT`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]).t().to_array(), [[1.0, 3.0], [2.0, 4.0]]);
    /// ```
    pub fn t(&self) -> TensorOf<<S as TransposeLast>::Output, E>
    where
        S: TransposeLast + TwoAxes,
    {
        let to = <<S as TransposeLast>::Output as AnyShape>::DIMS;
        // `TwoAxes` holds for ranks from 2 on.
        let axes = const { swapped::<R>(R.saturating_sub(2), R.saturating_sub(1)) };
        wrap::<<S as TransposeLast>::Output, E>(<E::Ops as Layout<E>>::permute(
            &self.raw,
            S::DIMS,
            to,
            &axes,
        ))
    }

    /// The tensor without axis `AXIS`, whose size must be 1. Nothing is copied. PyTorch: `squeeze`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<2, shape![3, 1]>::ones().squeeze::<1>().dims(), [3]);
    /// ```
    pub fn squeeze<const AXIS: usize>(&self) -> TensorOf<S::Without, E>
    where
        S: Squeeze<AXIS>,
    {
        reshaped::<S::Without, E>(&self.raw)
    }

    /// The tensor with a new axis `One` at `AXIS`, where it stretches in broadcasts. Nothing is copied.
    /// PyTorch: `unsqueeze`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let column: Tensor<2, shape![3, 1]> = Tensor::from([1.0, 2.0, 3.0]).unsqueeze::<1>();
    /// let row: Tensor<2, shape![1, 3]> = Tensor::from([1.0, 2.0, 3.0]).unsqueeze::<0>();
    /// assert_eq!((column * row)[[2, 1]], 6.0);
    /// ```
    pub fn unsqueeze<const AXIS: usize>(&self) -> TensorOf<<S as Unsqueeze<AXIS>>::Output, E>
    where
        S: Unsqueeze<AXIS>,
    {
        reshaped::<<S as Unsqueeze<AXIS>>::Output, E>(&self.raw)
    }

    /// The tensor with `Dim<1>` in place of `One` at `AXIS`: it no longer stretches. Nothing is copied.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x: Tensor<2, (Dim<3>, Dim<1>)> = Tensor::<2, shape![3, 1]>::ones().fixed::<1>();
    /// ```
    pub fn fixed<const AXIS: usize>(&self) -> TensorOf<<S as Fixed<AXIS>>::Output, E>
    where
        S: Fixed<AXIS>,
    {
        reshaped::<<S as Fixed<AXIS>>::Output, E>(&self.raw)
    }

    /// The tensor with `One` in place of `Dim<1>` at `AXIS`: it stretches in broadcasts. Nothing is copied.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x: Tensor<2, shape![2, 1]> = Tensor::from([[1.0], [2.0]]).stretch::<1>();
    /// assert_eq!((x + Tensor::from([10.0, 20.0])).to_array(), [[11.0, 21.0], [12.0, 22.0]]);
    /// ```
    pub fn stretch<const AXIS: usize>(&self) -> TensorOf<<S as Stretch<AXIS>>::Output, E>
    where
        S: Stretch<AXIS>,
    {
        reshaped::<<S as Stretch<AXIS>>::Output, E>(&self.raw)
    }

    /// The values repeated to fill shape `T`: every `One` stretches, and axes are added in front. PyTorch:
    /// `expand`, but the values are copied. Backward sums over what was stretched.
    ///
    /// Operators broadcast by themselves; this is for where a full tensor is wanted.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.broadcast_to::<shape![2, 2]>().to_array(), [[1.0, 2.0], [1.0, 2.0]]);
    /// ```
    pub fn broadcast_to<T: AnyShape>(&self) -> TensorOf<T, E>
    where
        S: BroadcastTo<T>,
    {
        wrap::<T, E>(<E::Ops as Layout<E>>::broadcast_to(
            &self.raw,
            <S as BroadcastTo<T>>::PLAN,
            T::DIMS,
        ))
    }
}

/// `permute`, rank by rank. Each check stands in its row, so that its error does not point into the macro.
macro_rules! permutations {
    ($($rank:literal: [$($A:ident)*] $shape:ty, [$($I:ident)*] $check:block;)*) => {$(
        permutations! { @rank $rank [$($A)*] $shape, [$($I)*] $check }
    )*};
    (@rank $rank:literal [$($A:ident)*] $shape:ty, [$($I:ident)*] $check:block) => {
        impl<$($A: Axis,)* E: Element> Tensor<$rank, $shape, E> {
            /// The tensor with its axes in a new order: axis k of the result is the k-th one named. The
            /// values are copied. PyTorch: `permute`, `movedim`; NumPy: `transpose`.
            ///
            /// An axis that is named twice does not compile; that is found when the program is built, not
            /// by `cargo check`.
            ///
            /// ```
            /// # use shapeproof::prelude::*;
            /// let x = Tensor::<3, shape![8, 64, 16]>::ones();
            /// assert_eq!(x.permute::<1, 0, 2>().dims(), [64, 8, 16]);
            /// ```
            pub fn permute<$(const $I: usize),*>(&self) -> Tensor<$rank, ($(AxisAt<$shape, $I>,)*), E>
            where
                $($shape: HasAxis<$I>,)*
            {
                $check
                let (from, to) = (<$shape as AnyShape>::DIMS, <($(AxisAt<$shape, $I>,)*) as AnyShape>::DIMS);
                Tensor::from_raw(<E::Ops as Layout<E>>::permute(&self.raw, from, to, &[$($I),*]))
            }
        }
    };
}
permutations! {
    1: [A0] (A0,), [I] { const { check_permutation([I]) } };
    2: [A0 A1] (A0, A1), [I J] { const { check_permutation([I, J]) } };
    3: [A0 A1 A2] (A0, A1, A2), [I J K] { const { check_permutation([I, J, K]) } };
    4: [A0 A1 A2 A3] (A0, A1, A2, A3), [I J K L] { const { check_permutation([I, J, K, L]) } };
    5: [A0 A1 A2 A3 A4] (A0, A1, A2, A3, A4), [I J K L M] { const { check_permutation([I, J, K, L, M]) } };
    6: [A0 A1 A2 A3 A4 A5] (A0, A1, A2, A3, A4, A5), [I J K L M N] { const { check_permutation([I, J, K, L, M, N]) } };
}
