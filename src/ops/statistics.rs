//! Variance and standard deviation.

use super::compiled::compiled;
use super::reduce::reductions;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Lanes, Pointwise};
use crate::shape::{Dims, HasAxes, HasAxis, Shape, Split, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};

compiled! {
    /// Moments.
    trait Statistics {
        fn variance(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E>;
        fn deviation(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E>;
    }
}

reductions! {
    in Statistics;

    /// The variance: the mean squared deviation from the mean, with n − `correction` in place of n.
    /// PyTorch: `var(correction=correction)`.
    ///
    /// `var(0)` is the population's variance, NumPy's default; `var(1)` is the unbiased estimate from a
    /// sample, PyTorch's default. The choice is written out because the two disagree silently. Where n ≤
    /// `correction` the result is NaN (or ∞, as 0/0 and x/0 are). A large common offset does no harm: the
    /// first element is subtracted before anything is squared, and constant input gives exactly 0.
    ///
    /// Derivative 2·(x − mean)/(n − `correction`).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1e6f32, 1e6 + 1.0, 1e6 + 2.0]);
    /// assert_eq!(x.var(1).item(), 1.0);
    /// ```
    var, var_axis, var_keepdim(correction: usize) = variance;

    /// The standard deviation: the square root of [`var`](Self::var), with the same `correction`. PyTorch:
    /// `std(correction=correction)`.
    ///
    /// Derivative (x − mean)/((n − `correction`)·std), and 0 where the deviation is 0: the subgradient of
    /// minimum norm, where PyTorch has NaN.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 3.0]).std(0).item(), 1.0);
    /// ```
    std, std_axis, std_keepdim(correction: usize) = deviation;
}

/// A moment and the mean, in the forms that reductions come in.
macro_rules! with_mean {
    ($($(#[$doc:meta])*
    $name:ident $axis:ident $keepdim:ident $axes:ident $axes_keepdim:ident =
        $of:ident $of_axis:ident $of_keepdim:ident $of_axes:ident $of_axes_keepdim:ident;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name(&self, correction: usize) -> [Tensor<0, (), E>; 2] {
                [self.$of(correction), self.mean()]
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over axis `AXIS`, which goes.")]
            #[doc = concat!("PyTorch: `", stringify!($name), "(dim=AXIS)`.")]
            pub fn $axis<const AXIS: usize>(&self, correction: usize) -> [TensorOf<S::Without, E>; 2]
            where
                S: HasAxis<AXIS>,
            {
                [self.$of_axis::<AXIS>(correction), self.mean_axis::<AXIS>()]
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over axis `AXIS`, which stays as `One`.")]
            #[doc = concat!("PyTorch: `", stringify!($name), "(dim=AXIS, keepdim=True)`.")]
            pub fn $keepdim<const AXIS: usize>(&self, correction: usize) -> [TensorOf<S::Keepdim, E>; 2]
            where
                S: HasAxis<AXIS>,
            {
                [self.$of_keepdim::<AXIS>(correction), self.mean_keepdim::<AXIS>()]
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over the axes `A`, which go.")]
            #[doc = concat!("PyTorch: `", stringify!($name), "(dim=(..))`.")]
            pub fn $axes<A>(&self, correction: usize) -> [TensorOf<S::Without, E>; 2]
            where
                S: HasAxes<A>,
            {
                [self.$of_axes::<A>(correction), self.mean_axes::<A>()]
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") over the axes `A`, which stay as `One`.")]
            #[doc = concat!("PyTorch: `", stringify!($name), "(dim=(..), keepdim=True)`.")]
            pub fn $axes_keepdim<A>(&self, correction: usize) -> [TensorOf<S::Keepdim, E>; 2]
            where
                S: HasAxes<A>,
            {
                [self.$of_axes_keepdim::<A>(correction), self.mean_axes_keepdim::<A>()]
            }
        )*}
    };
}
with_mean! {
    /// [`var`](Self::var) and [`mean`](Self::mean). PyTorch: `var_mean`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 3.0], [2.0, 6.0]]);
    /// let [variance, mean] = x.var_mean_keepdim::<1>(0);
    /// let standardised = (&x - mean) / (variance + 1e-5).sqrt();
    /// assert!((standardised.abs().to_array()[0][0] - 1.0).abs() < 1e-5);
    /// ```
    var_mean var_mean_axis var_mean_keepdim var_mean_axes var_mean_axes_keepdim
        = var var_axis var_keepdim var_axes var_axes_keepdim;

    /// [`std`](Self::std) and [`mean`](Self::mean). PyTorch: `std_mean`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let [deviation, mean] = Tensor::from([1.0f32, 3.0]).std_mean(0);
    /// assert_eq!([deviation.item(), mean.item()], [1.0, 2.0]);
    /// ```
    std_mean std_mean_axis std_mean_keepdim std_mean_axes std_mean_axes_keepdim
        = std std_axis std_keepdim std_axes std_axes_keepdim;
}

/// The first element of each line of the middle axis.
///
/// Differences from it are small where an offset is large, and exact zeros where the line is constant.
fn first<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    let Split { outer, len, inner } = split;
    let mut first = Buffer::dirty(outer * inner);
    if len * inner > 0 {
        let blocks = x.chunks_exact(len * inner);
        for (first, block) in first.fresh().chunks_exact_mut(inner).zip(blocks) {
            first.copy_from_slice(&block[..inner]);
        }
    }
    first
}

/// The degrees of freedom. With none, the variance is 0/0.
fn degrees<E: Element>(split: Split, correction: usize) -> E {
    count(split.len.saturating_sub(correction))
}

/// For each line of the middle axis, how far its mean lies above its first element, and its variance.
fn moments<E: Element>(x: &[E], split: Split, correction: usize) -> (Buffer<E>, Buffer<E>) {
    let (shift, squares) = kernel::moments(x, split);
    let degrees: E = degrees(split, correction);
    (shift, kernel::map_owned(squares, &|sum| sum / degrees))
}

struct Variance<E: Element> {
    split: Split,
    correction: usize,
    input: Buffer<E>,
    /// The mean of each line minus its first element: the mean itself would be rounded to the size of
    /// the elements.
    shift: Buffer<E>,
}

/// ((x − first) − shift)·scale
struct Deviations;
impl<E: Element> Pointwise<E, 4> for Deviations {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x, first, shift, scale]: [V; 4]) -> V {
        ((x - first) - shift) * scale
    }
}

impl<E: Element> Variance<E> {
    /// (x − mean)·scale, line by line.
    fn backward(&self, scale: &[E]) -> Buffer<E> {
        let first = first(&self.input, self.split);
        let operands = [&*self.input, &first, &self.shift, scale];
        kernel::spread_in_lanes(operands, self.split, &Deviations)
    }

    fn degrees(&self) -> E {
        degrees(self.split, self.correction)
    }
}

impl<E: Element> Rule<E> for Variance<E> {
    fn name(&self) -> &'static str {
        "var"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let factor = E::of(2.0) / self.degrees();
        let scale = kernel::map_owned(grad, &|g| g * factor);
        to.give(0, Variance::backward(self, &scale));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("shift", Saved::Values(&self.shift));
    }
}

fn variance<E: Element>(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E> {
    let (shift, values) = moments(&x.values, split, correction);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let input = x.values.clone();
        parents.record(
            dims,
            Variance {
                split,
                correction,
                input,
                shift,
            },
        )
    });
    Raw { values, node }
}

struct Deviation<E: Element> {
    variance: Variance<E>,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for Deviation<E> {
    fn name(&self) -> &'static str {
        "std"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let degrees: E = self.variance.degrees();
        let scale = kernel::map_with(grad, &self.output, &|g: E, deviation: E| {
            if deviation == E::zero() {
                E::zero()
            } else {
                g / (degrees * deviation)
            }
        });
        to.give(0, self.variance.backward(&scale));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        self.variance.saved(visit);
        visit("output", Saved::Values(&self.output));
    }
}

fn deviation<E: Element>(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E> {
    let (shift, variance) = moments(&x.values, split, correction);
    let values = kernel::map_owned(variance, &|v: E| v.sqrt());
    let node = parents([x.node.as_ref()]).map(|parents| {
        let input = x.values.clone();
        let variance = Variance {
            split,
            correction,
            input,
            shift,
        };
        parents.record(
            dims,
            Deviation {
                variance,
                output: values.clone(),
            },
        )
    });
    Raw { values, node }
}
