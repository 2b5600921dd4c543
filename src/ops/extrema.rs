//! Largest and smallest elements, and where they stand.

use super::compiled::compiled;
use super::reduce::{reductions, whole};
use crate::element::Element;
use crate::graph::level::read;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Wanted};
use crate::shape::{ArgAxis, Dims, Shape, Split, check_has_elements, check_not_empty};
use crate::storage::Buffer;
use crate::tensor::{Positions, Raw, Tensor};

compiled! {
    /// Extrema and their positions.
    trait Extrema {
        fn max(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn min(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn argmax(x: &Raw<E>, split: Split) -> Buffer<usize>;
        fn argmin(x: &Raw<E>, split: Split) -> Buffer<usize>;
    }
}

reductions! {
    in Extrema;

    /// The largest element. PyTorch: `max`, `amax`.
    ///
    /// The gradient goes to the first of several equal ones. NaN counts as larger than any number. Over an
    /// axis without entries it does not compile.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 5.0], [5.0, 2.0]]).tracked();
    /// assert_eq!(x.max_axis::<1>().to_array(), [5.0, 5.0]);
    /// x.max().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[0.0, 1.0], [0.0, 0.0]]);
    /// ```
    max, max_axis, max_keepdim() = max, refuses
        { const { check_has_elements::<S>("max") } }
        { const { check_not_empty::<S, AXIS>("max") } };

    /// The smallest element. PyTorch: `min`, `amin`.
    ///
    /// The gradient goes to the first of several equal ones. NaN counts as smaller than any number. Over
    /// an axis without entries it does not compile.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([[1.0f32, 5.0], [5.0, 2.0]]).min_axis::<0>().to_array(), [1.0, 2.0]);
    /// ```
    min, min_axis, min_keepdim() = min, refuses
        { const { check_has_elements::<S>("min") } }
        { const { check_not_empty::<S, AXIS>("min") } };
}

/// The largest or smallest along an axis; which of the two shows in its name alone.
struct Extremum<const MAX: bool> {
    split: Split,
    at: Buffer<usize>,
}

impl<const MAX: bool> Extremum<MAX> {
    fn backward<E: Element>(&self, grad: &[E], to: &mut Cotangents<'_, E>) {
        let Split { len, inner, .. } = self.split;
        to.add_into(0, |sum| {
            for (line, (&g, &at)) in grad.iter().zip(&*self.at).enumerate() {
                sum[(line / inner * len + at) * inner + line % inner] += g;
            }
        });
    }
}

macro_rules! extremum {
    ($($name:ident, $label:literal, $MAX:literal, $wanted:expr;)*) => {$(
        impl<E: Element> Rule<E> for Extremum<$MAX> {
            fn name(&self) -> &'static str {
        $label
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                Extremum::backward(self, &grad, to);
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("positions", Saved::Positions(&self.at));
            }
        }

        fn $name<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
            let Some(parents) = parents([x.node.as_ref()]) else {
                return Raw::input(kernel::extreme(&x.values, split, $wanted));
            };
            let (values, at) = kernel::extreme_and_place(&x.values, split, $wanted);
            let node = Some(parents.record(dims, Extremum::<$MAX> { split, at }));
            Raw { values, node }
        }
    )*};
}
extremum! {
    max, "max", true, Wanted::Largest;
    min, "min", false, Wanted::Smallest;
}

macro_rules! positions {
    ($($(#[$doc:meta])* $all:ident, $axis:ident, $keepdim:ident, $wanted:expr, refuses $no_elements:block $no_entries:block;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            ///
            /// This form looks at all elements and counts in row-major order.
            #[track_caller]
            pub fn $all(&self) -> usize {
                $no_elements
                read(&<E::Ops as Extrema<E>>::$all(&self.raw, whole::<S>()))[0]
            }

            #[doc = concat!("[`", stringify!($all), "`](Self::", stringify!($all), ") along axis `AXIS`, as `Indices` whose bound is the axis's size.")]
            pub fn $axis<const AXIS: usize>(&self) -> S::Indices
            where
                S: ArgAxis<AXIS>,
            {
                $no_entries
                Positions(<E::Ops as Extrema<E>>::$all(&self.raw, S::SPLIT)).into()
            }

            #[doc = concat!("[`", stringify!($axis), "`](Self::", stringify!($axis), "), with the axis kept as `One`.")]
            pub fn $keepdim<const AXIS: usize>(&self) -> S::IndicesKeepdim
            where
                S: ArgAxis<AXIS>,
            {
                $no_entries
                Positions(<E::Ops as Extrema<E>>::$all(&self.raw, S::SPLIT)).into()
            }
        )*}

        $(fn $all<E: Element>(x: &Raw<E>, split: Split) -> Buffer<usize> {
            kernel::extreme_and_place(&x.values, split, $wanted).1
        })*
    };
}
positions! {
    /// Where the largest element stands: the first of several equal ones, or the first NaN. PyTorch:
    /// `argmax`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 5.0, 0.0], [7.0, 2.0, 7.0]]);
    /// assert_eq!(x.argmax(), 3);
    /// let best: Indices<1, shape![2], 3> = x.argmax_axis::<1>();
    /// assert_eq!(best.to_array(), [1, 0]);
    /// ```
    argmax, argmax_axis, argmax_keepdim, Wanted::Largest, refuses
        { const { check_has_elements::<S>("argmax") } }
        { const { check_not_empty::<S, AXIS>("argmax") } };

    /// Where the smallest element stands: the first of several equal ones, or the first NaN. PyTorch:
    /// `argmin`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([3.0f32, 1.0, 1.0]).argmin(), 1);
    /// ```
    argmin, argmin_axis, argmin_keepdim, Wanted::Smallest, refuses
        { const { check_has_elements::<S>("argmin") } }
        { const { check_not_empty::<S, AXIS>("argmin") } };
}
