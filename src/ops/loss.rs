//! Losses that depend on the difference of prediction and target, and the three forms of every loss.

use super::compiled::compiled;
use super::elementary::sign;
use super::lift::Own;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Source};
use crate::shape::Dims;
use crate::storage::Buffer;
use crate::tensor::Raw;

/// What becomes of the losses of each element or row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduce {
    /// They are the result.
    Each,
    /// They are added up.
    Sum,
    /// They are added up and divided by their number.
    Mean,
    /// They are added up and divided by this number.
    Over(usize),
}

impl Reduce {
    /// The result, from the losses.
    pub(super) fn of<E: Element>(self, losses: Buffer<E>) -> Buffer<E> {
        if self == Reduce::Each {
            return losses;
        }
        let sum = kernel::sum(&losses);
        Buffer::filled(1, sum / self.divisor(losses.len()))
    }

    /// What the sum of `n` losses is divided by.
    pub(super) fn divisor<E: Element>(self, n: usize) -> E {
        match self {
            Reduce::Each | Reduce::Sum => E::one(),
            Reduce::Mean => count(n),
            Reduce::Over(number) => count(number),
        }
    }

    /// The gradient of loss `i` of `n`, from that of the result.
    pub(super) fn share<E: Element>(self, grad: &[E], n: usize) -> impl Fn(usize) -> E {
        let all = (self != Reduce::Each).then(|| grad[0] / self.divisor(n));
        move |i| all.unwrap_or_else(|| grad[i])
    }
}

/// Gives losses of two tensors of one shape their three methods: the mean, the sum, and the losses one by one.
///
/// `in Family;` names the trait of compiled functions, which take both tensors, the [`Reduce`], the result's sizes
/// and the parameters. `requires` states what is demanded of the parameters.
macro_rules! losses {
    (in $Family:ident; $(
        $(#[$doc:meta])*
        $name:ident, $sum:ident, $each:ident ($($p:ident: $P:ty),*)
        $(requires $condition:expr, $message:literal)?;
    )*) => {
        impl<const R: usize, S: $crate::shape::Shape<R>, E: $crate::element::Element>
            $crate::tensor::Tensor<R, S, E>
        {$(
            $(#[$doc])*
            ///
            /// This form is the mean over all elements, as a single number; the mean over nothing is NaN.
            #[track_caller]
            pub fn $name(&self, target: &Self $(, $p: $P)*) -> $crate::tensor::Tensor<0, (), E> {
                $(assert!($condition, $message);)?
                $crate::tensor::Tensor::from_raw(<E::Ops as $Family<E>>::$name(
                    &self.raw, &target.raw, $crate::ops::loss::Reduce::Mean, &[] $(, $p)*))
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with the losses added up. PyTorch: `reduction=\"sum\"`.")]
            #[track_caller]
            pub fn $sum(&self, target: &Self $(, $p: $P)*) -> $crate::tensor::Tensor<0, (), E> {
                $(assert!($condition, $message);)?
                $crate::tensor::Tensor::from_raw(<E::Ops as $Family<E>>::$name(
                    &self.raw, &target.raw, $crate::ops::loss::Reduce::Sum, &[] $(, $p)*))
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with the loss of each element, in shape `S`. PyTorch: `reduction=\"none\"`.")]
            #[track_caller]
            pub fn $each(&self, target: &Self $(, $p: $P)*) -> Self {
                $(assert!($condition, $message);)?
                Self::from_raw(<E::Ops as $Family<E>>::$name(
                    &self.raw, &target.raw, $crate::ops::loss::Reduce::Each, S::DIMS $(, $p)*))
            }
        )*}
    };
}
pub(super) use losses;

compiled! {
    /// Losses of differences.
    trait Loss {
        fn mse(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn mae(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims) -> Raw<E> => losses(reduce, x.own());
        fn huber(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims, delta: E) -> Raw<E> => losses(reduce, x.own());
        fn smooth_l1(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims, beta: E) -> Raw<E> => losses(reduce, x.own());
    }
}

losses! {
    in Loss;

    /// The squared error (x − target)². PyTorch: `mse_loss`.
    ///
    /// Both have shape `S`, with no broadcasting: predictions `(B, 1)` are not compared with targets `(B,)`, but
    /// `x.squeeze::<1>()` is. Gradients ±2·(x − target), divided by n in the mean.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (x, target) = (Tensor::from([1.0f32, 2.0]), Tensor::from([0.0, 4.0]));
    /// assert_eq!(x.mse(&target).item(), 2.5);
    /// assert_eq!(x.mse_sum(&target).item(), 5.0);
    /// assert_eq!(x.mse_none(&target).to_array(), [1.0, 4.0]);
    /// ```
    mse, mse_sum, mse_none();

    /// The absolute error |x − target|. PyTorch: `l1_loss`.
    ///
    /// Both have shape `S`, with no broadcasting. Gradients ±sign(x − target), divided by n in the mean, and 0
    /// where both are equal.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!(x.mae(&Tensor::from([0.0, 4.0])).item(), 1.5);
    /// ```
    mae, mae_sum, mae_none();

    /// The Huber loss of d = x − target: d²/2 up to |d| = `delta`, `delta`·(|d| − `delta`/2) beyond. PyTorch:
    /// `huber_loss`, whose delta is 1 unless told.
    ///
    /// Both have shape `S`, with no broadcasting. Gradients ±d limited to −`delta`..=`delta`, divided by n in the
    /// mean (Huber 1964).
    ///
    /// # Panics
    /// If `delta` is not above 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 5.0]);
    /// assert_eq!(x.huber_none(&Tensor::from([0.0, 0.0]), 2.0).to_array(), [0.5, 8.0]);
    /// ```
    huber, huber_sum, huber_none(delta: E) requires delta > E::zero(), "huber: a delta of {delta}, which is not above 0";

    /// The smooth absolute error of d = x − target: d²/(2·`beta`) below |d| = `beta`, |d| − `beta`/2 from there
    /// on. PyTorch: `smooth_l1_loss`, whose beta is 1 unless told.
    ///
    /// Both have shape `S`, with no broadcasting. Gradients ±d/`beta` limited to −1..=1, divided by n in the mean.
    /// With a `beta` of 0 it is [`mae`](Self::mae).
    ///
    /// # Panics
    /// If `beta` is below 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 5.0]);
    /// assert_eq!(x.smooth_l1_none(&Tensor::from([0.0, 0.0]), 2.0).to_array(), [0.25, 4.0]);
    /// ```
    smooth_l1, smooth_l1_sum, smooth_l1_none(beta: E) requires beta >= E::zero(), "smooth_l1: a beta of {beta}, which is below 0";
}

/// A loss of a difference, and its derivative.
trait Distance<E: Element>: Copy + Send + Sync + 'static {
    const NAME: &'static str;
    fn error(self, d: E) -> E;
    fn slope(self, d: E) -> E;
    fn numbers(self, visit: &mut dyn FnMut(&'static str, f64));
}

struct DistanceRule<E: Element, D> {
    op: D,
    reduce: Reduce,
    difference: Buffer<E>,
}

impl<E: Element, D: Distance<E>> Rule<E> for DistanceRule<E, D> {
    fn name(&self) -> &'static str {
        D::NAME
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (op, difference) = (self.op, &self.difference);
        let grad = if self.reduce == Reduce::Each {
            kernel::map_with(grad, difference, &|g, d| g * op.slope(d))
        } else {
            let scale = grad[0] / self.reduce.divisor(difference.len());
            kernel::map(Source::Shared(difference), &|d| op.slope(d) * scale)
        };
        if to.wanted(1) {
            let negative = kernel::map(Source::Shared(&grad), &|g: E| -g);
            to.give(1, negative);
        }
        if to.wanted(0) {
            to.give(0, grad);
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("difference", Saved::Values(&self.difference));
        self.op
            .numbers(&mut |name, value| visit(name, Saved::Number(value)));
    }
}

fn distance<E: Element, D: Distance<E>>(
    x: &Raw<E>,
    target: &Raw<E>,
    reduce: Reduce,
    dims: Dims,
    op: D,
) -> Raw<E> {
    let difference = kernel::zip_equal(
        Source::Shared(&x.values),
        Source::Shared(&target.values),
        &|a, b| a - b,
    );
    let values = if reduce == Reduce::Each {
        kernel::map(Source::Shared(&difference), &|d| op.error(d))
    } else {
        let sum = kernel::sum_by(&difference, |d| op.error(d));
        Buffer::filled(1, sum / reduce.divisor(difference.len()))
    };
    let node = parents([x.node.as_ref(), target.node.as_ref()]).map(|parents| {
        let rule = DistanceRule {
            op,
            reduce,
            difference,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

macro_rules! distances {
    ($($name:ident($($p:ident)?): $label:literal, |$d:ident| $error:expr, $slope:expr;)*) => {$(
        fn $name<E: Element>(x: &Raw<E>, target: &Raw<E>, reduce: Reduce, dims: Dims $(, $p: E)?) -> Raw<E> {
            #[derive(Clone, Copy)]
            struct Op<E> {
                $($p: E,)?
                element: std::marker::PhantomData<E>,
            }
            impl<E: Element> Distance<E> for Op<E> {
                const NAME: &'static str = $label;
                #[inline(always)]
                fn error(self, $d: E) -> E {
                    let Op { $($p,)? .. } = self;
                    $error
                }
                #[inline(always)]
                fn slope(self, $d: E) -> E {
                    let Op { $($p,)? .. } = self;
                    $slope
                }
                fn numbers(self, _visit: &mut dyn FnMut(&'static str, f64)) {
                    $(_visit(stringify!($p), self.$p.to_f64().unwrap_or(f64::NAN));)?
                }
            }
            distance(x, target, reduce, dims, Op { $($p,)? element: std::marker::PhantomData })
        }
    )*};
}
distances! {
    mse(): "mse", |d| d * d, d + d;
    mae(): "mae", |d| d.abs(), sign(d);
    huber(delta): "huber",
        |d| if d.abs() <= delta { d * d * E::of(0.5) } else { delta * (d.abs() - delta * E::of(0.5)) },
        if d.abs() <= delta { d } else { delta * sign(d) };
    // With a beta of 0 nothing is below it, and nothing is divided by it.
    smooth_l1(beta): "smooth_l1",
        |d| if d.abs() < beta { d * d * E::of(0.5) / beta } else { d.abs() - beta * E::of(0.5) },
        if d.abs() < beta { d / beta } else { sign(d) };
}
