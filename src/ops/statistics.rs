//! Variance and standard deviation.

use super::compiled::compiled;
use super::reduce::reductions;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{Dims, Split};
use crate::storage::Buffer;
use crate::tensor::Raw;

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

/// Mean and variance of each line of the middle axis.
fn moments<E: Element>(x: &[E], split: Split, correction: usize) -> (Buffer<E>, Buffer<E>) {
    let Split { len, inner, .. } = split;
    let n: E = count(len);
    // Differences from the line's first element are small where an offset is large, and exact zeros where
    // the line is constant.
    let first = |line: usize| x[line / inner * len * inner + line % inner];
    let mut shift = kernel::sum_axis(x, split, |v, line| v - first(line));
    let shifts = shift.fresh();
    shifts.iter_mut().for_each(|sum| *sum /= n);
    let shifts = &*shifts;
    let squares = kernel::sum_axis(x, split, |v, line| {
        let deviation = (v - first(line)) - shifts[line];
        deviation * deviation
    });
    let degrees: E = n - count(correction);
    let variance = kernel::map(kernel::Source::Owned(squares), |sum| {
        // With no degrees of freedom the variance is 0/0, whatever its sign.
        sum / if degrees > E::zero() {
            degrees
        } else {
            E::zero()
        }
    });
    let mean = Buffer::from_fn(shifts.len(), |line| {
        if len == 0 {
            E::nan()
        } else {
            first(line) + shifts[line]
        }
    });
    (mean, variance)
}

struct Variance<E: Element> {
    split: Split,
    correction: usize,
    input: Buffer<E>,
    mean: Buffer<E>,
}

impl<E: Element> Variance<E> {
    /// (x − mean)·scale, line by line.
    fn backward(&self, scale: impl Fn(usize) -> E + Sync) -> Buffer<E> {
        let mean = &*self.mean;
        kernel::spread_with(&self.input, self.split, |x, line| {
            (x - mean[line]) * scale(line)
        })
    }

    fn degrees(&self) -> E {
        count::<E>(self.split.len) - count(self.correction)
    }
}

impl<E: Element> Rule<E> for Variance<E> {
    const NAME: &'static str = "var";
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let factor = E::of(2.0) / self.degrees();
        to.give(0, Variance::backward(self, |line| grad[line] * factor));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("mean", Saved::Values(&self.mean));
    }
}

fn variance<E: Element>(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E> {
    let (mean, values) = moments(&x.values, split, correction);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let input = x.values.clone();
        parents.record(
            dims,
            Variance {
                split,
                correction,
                input,
                mean,
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
    const NAME: &'static str = "std";
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (output, degrees) = (&*self.output, self.variance.degrees());
        let scale = |line: usize| {
            if output[line] == E::zero() {
                E::zero()
            } else {
                grad[line] / (degrees * output[line])
            }
        };
        to.give(0, self.variance.backward(scale));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        self.variance.saved(visit);
        visit("output", Saved::Values(&self.output));
    }
}

fn deviation<E: Element>(x: &Raw<E>, split: Split, dims: Dims, correction: usize) -> Raw<E> {
    let (mean, variance) = moments(&x.values, split, correction);
    let values = kernel::map(kernel::Source::Owned(variance), |v| v.sqrt());
    let node = parents([x.node.as_ref()]).map(|parents| {
        let input = x.values.clone();
        let variance = Variance {
            split,
            correction,
            input,
            mean,
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
