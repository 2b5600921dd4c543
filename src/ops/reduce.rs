//! Sums and means, and the three forms that every reduction comes in.

use super::compiled::compiled;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{AnyShape, Dims, Split};
use crate::storage::Buffer;
use crate::tensor::Raw;

/// All elements as one axis.
pub(super) const fn whole<S: AnyShape>() -> Split {
    Split {
        outer: 1,
        len: S::NUMEL,
        inner: 1,
    }
}

/// Gives a reduction its three methods: over all axes, over one, and over one that stays as `One`.
///
/// `in Family;` names the trait of compiled functions. Then, for each, `name(parameters) = function`, where
/// the function takes the operand, a `Split`, the result's sizes and
/// the parameters. `refuses` checks, for all axes and for one, that there is something to reduce; written
/// where the macro is called, a check fails with an error that points there and not into the macro.
macro_rules! reductions {
    (in $Family:ident; $(
        $(#[$doc:meta])*
        $name:ident, $axis:ident, $keepdim:ident ($($p:ident: $P:ty),*) = $function:ident
        $(, refuses $no_elements:block $no_entries:block)?;
    )*) => {
        impl<const R: usize, S: $crate::shape::Shape<R>, E: $crate::element::Element>
            $crate::tensor::Tensor<R, S, E>
        {$(
            $(#[$doc])*
            ///
            /// This form reduces all axes: shape `S` to `()`.
            pub fn $name(&self $(, $p: $P)*) -> $crate::tensor::Tensor<0, (), E> {
                $($no_elements)?
                let split = $crate::ops::reduce::whole::<S>();
                $crate::tensor::Tensor::from_raw(<E::Ops as $Family<E>>::$function(&self.raw, split, &[] $(, $p)*))
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over axis `AXIS`, which goes.")]
            pub fn $axis<const AXIS: usize>(&self $(, $p: $P)*) -> $crate::shape::TensorOf<S::Without, E>
            where
                S: $crate::shape::HasAxis<AXIS>,
            {
                $($no_entries)?
                let dims = <S::Without as $crate::shape::AnyShape>::DIMS;
                $crate::tensor::wrap::<S::Without, E>(<E::Ops as $Family<E>>::$function(&self.raw, S::SPLIT, dims $(, $p)*))
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over axis `AXIS`, which stays as `One`: the result broadcasts against the operand.")]
            pub fn $keepdim<const AXIS: usize>(&self $(, $p: $P)*) -> $crate::shape::TensorOf<S::Keepdim, E>
            where
                S: $crate::shape::HasAxis<AXIS>,
            {
                $($no_entries)?
                let dims = <S::Keepdim as $crate::shape::AnyShape>::DIMS;
                $crate::tensor::wrap::<S::Keepdim, E>(<E::Ops as $Family<E>>::$function(&self.raw, S::SPLIT, dims $(, $p)*))
            }
        )*}
    };
}
pub(super) use reductions;

compiled! {
    /// Sums and means.
    trait Reduction {
        fn sum(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn mean(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
    }
}

reductions! {
    in Reduction;

    /// The sum. PyTorch: `sum`.
    ///
    /// Pairwise, so that the rounding error stays at a few units in the last place at any length. The sum
    /// of nothing is 0. Every element has derivative 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.sum().item(), 10.0);
    /// assert_eq!(x.sum_axis::<0>().to_array(), [4.0, 6.0]);
    /// assert_eq!(x.sum_keepdim::<1>().to_array(), [[3.0], [7.0]]);
    /// ```
    sum, sum_axis, sum_keepdim() = sum;

    /// The arithmetic mean. PyTorch: `mean`.
    ///
    /// The mean of nothing is NaN. Every element has derivative 1/n.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0], [3.0, 6.0]]);
    /// assert_eq!(x.mean().item(), 3.0);
    /// assert_eq!((&x - x.mean_keepdim::<1>()).to_array(), [[-0.5, 0.5], [-1.5, 1.5]]);
    /// ```
    mean, mean_axis, mean_keepdim() = mean;
}

struct Sum {
    split: Split,
}

impl<E: Element> Rule<E> for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, kernel::spread(&grad, self.split));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

pub(super) fn sum<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    Raw {
        values: kernel::sum_axis(&x.values, split),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Sum { split })),
    }
}

struct Mean {
    split: Split,
}

impl<E: Element> Rule<E> for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let share = divided(grad, self.split.len);
        to.give(0, kernel::spread(&share, self.split));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

pub(super) fn mean<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    Raw {
        values: divided(kernel::sum_axis(&x.values, split), split.len),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, Mean { split })),
    }
}

fn divided<E: Element>(values: Buffer<E>, n: usize) -> Buffer<E> {
    let n: E = count(n);
    kernel::map_owned(values, &|v| v / n)
}
