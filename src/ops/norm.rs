//! Products over axes, and norms.

use super::compiled::compiled;
use super::reduce::reductions;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Wanted, scan};
use crate::shape::{Dims, Split};
use crate::storage::Buffer;
use crate::tensor::Raw;

compiled! {
    /// Products and norms.
    trait Norms {
        fn prod(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn norm(x: &Raw<E>, split: Split, dims: Dims, p: E) -> Raw<E>;
    }
}

reductions! {
    in Norms;

    /// The product. PyTorch: `prod`.
    ///
    /// The product of nothing is 1. The derivative by an element is the product of all others; it divides by
    /// nothing and is right where elements are 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[2.0f32, 0.0], [3.0, 4.0]]).tracked();
    /// let y = x.prod_axis::<1>();
    /// assert_eq!(y.to_array(), [0.0, 12.0]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[0.0, 2.0], [4.0, 3.0]]);
    /// ```
    prod, prod_axis, prod_keepdim() = prod;

    /// The `p`-norm (Σ |x|ᵖ)^(1/p). PyTorch: `linalg.vector_norm(ord=p)`.
    ///
    /// `norm(2.0)` is the Euclidean length, `norm(1.0)` the sum of absolute values; `p` = ∞ takes the largest
    /// of them, −∞ the smallest, and 0 counts the elements that are not 0. Nothing overflows on the way: the
    /// powers are taken of numbers near 1. The norm of nothing is 0 (∞ for negative `p`).
    ///
    /// Derivative sign(x)·(|x|/norm)^(p − 1). It is 0 where the norm is 0, and at elements that are 0: the
    /// subgradient of minimum norm. For infinite `p` all elements that attain the norm share the gradient.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[3.0f32, -4.0], [0.0, 0.0]]).tracked();
    /// let y = x.norm_axis::<1>(2.0);
    /// assert_eq!(y.to_array(), [5.0, 0.0]);
    /// assert_eq!(x.norm(f32::INFINITY).item(), 4.0);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [[0.6, -0.8], [0.0, 0.0]]);
    /// ```
    norm, norm_axis, norm_keepdim(p: E) = norm;
}

struct Prod<E: Element> {
    split: Split,
    input: Buffer<E>,
}

impl<E: Element> Rule<E> for Prod<E> {
    fn name(&self) -> &'static str {
        "prod"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, scan::product_backward(&self.input, &grad, self.split));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
    }
}

fn prod<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    Raw {
        values: kernel::product(&x.values, split),
        node: parents([x.node.as_ref()]).map(|parents| {
            let input = x.values.clone();
            parents.record(dims, Prod { split, input })
        }),
    }
}

struct Norm<E: Element> {
    split: Split,
    p: E,
    input: Buffer<E>,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for Norm<E> {
    fn name(&self) -> &'static str {
        "norm"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (p, output) = (self.p, &*self.output);
        // Elements that share the gradient, where it does not depend on how large they are.
        let sharing = p.is_infinite().then(|| {
            kernel::sum_axis_by(&self.input, self.split, &|x: E, line| {
                flag(x.abs() == output[line])
            })
        });
        let grad = kernel::spread_with(&self.input, self.split, |x, line| {
            let (g, norm) = (grad[line], output[line]);
            if x.is_nan() {
                g * x
            } else if x == E::zero() || norm == E::zero() || p == E::zero() {
                E::zero()
            } else if let Some(sharing) = &sharing {
                g * x.signum() * flag::<E>(x.abs() == norm) / sharing[line]
            } else if p == E::one() {
                g * x.signum()
            } else if p == E::of(2.0) {
                g * (x / norm)
            } else {
                g * x.signum() * (x.abs() / norm).powf(p - E::one())
            }
        });
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("output", Saved::Values(&self.output));
        visit("p", Saved::Number(self.p.to_f64().unwrap_or(f64::NAN)));
    }
}

/// 1 for true, 0 for false.
fn flag<E: Element>(holds: bool) -> E {
    if holds { E::one() } else { E::zero() }
}

fn norm<E: Element>(x: &Raw<E>, split: Split, dims: Dims, p: E) -> Raw<E> {
    let values = norms(&x.values, split, p);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let (input, output) = (x.values.clone(), values.clone());
        let rule = Norm {
            split,
            p,
            input,
            output,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

fn norms<E: Element>(x: &Buffer<E>, split: Split, p: E) -> Buffer<E> {
    if p == E::zero() {
        return kernel::sum_axis_by(x, split, &|x, _| if x == E::zero() { x } else { count(1) });
    }
    if split.len == 0 {
        let of_nothing = if p < E::zero() {
            E::infinity()
        } else {
            E::zero()
        };
        return Buffer::filled(split.outer * split.inner, of_nothing);
    }
    if p == E::of(2.0)
        && let Some(lengths) = lengths(x, split)
    {
        return lengths;
    }
    let sizes = kernel::map(kernel::Source::Shared(x), &|x: E| x.abs());
    if p == E::one() {
        return kernel::sum_axis(&sizes, split);
    }
    let extreme = |largest: bool| {
        let wanted = if largest {
            Wanted::Largest
        } else {
            Wanted::Smallest
        };
        kernel::extreme(&sizes, split, wanted)
    };
    if p.is_infinite() {
        return extreme(p > E::zero());
    }
    // The element that decides how large the sum is: with a negative power, the smallest.
    let scales = kernel::map_owned(extreme(p > E::zero()), &power_of_two::<E>);
    let sums = kernel::sum_axis_by(&sizes, split, &|x: E, line| {
        let x = x / scales[line];
        if p == E::of(2.0) { x * x } else { x.powf(p) }
    });
    kernel::map_with(sums, &scales, &|sum: E, scale| {
        let root = if p == E::of(2.0) {
            sum.sqrt()
        } else {
            sum.powf(p.recip())
        };
        root * scale
    })
}

/// The roots of the sums of squares as they are, if none of these has overflowed or lost digits below the smallest number.
fn lengths<E: Element>(x: &Buffer<E>, split: Split) -> Option<Buffer<E>> {
    let squares = kernel::map(kernel::Source::Shared(x), &|x: E| x * x);
    let sums = kernel::sum_axis(&squares, split);
    // A square loses at most half a unit in the last place of the smallest normal number.
    let least = E::min_positive_value() * count(split.len);
    let exact = |&sum: &E| sum.is_finite() && sum >= least;
    let all = sums.iter().all(exact);
    all.then(|| kernel::map_owned(sums, &|sum: E| sum.sqrt()))
}

/// A power of two near `x`, so that dividing by it rounds nothing; 1 if `x` is 0 or not finite.
fn power_of_two<E: Element>(x: E) -> E {
    /// Exponents below are not needed, and would make the power 0 in f64.
    const LOWEST: i16 = -1000;
    if x == E::zero() || !x.is_finite() {
        return E::one();
    }
    // x is a whole number of at most 1/epsilon halves times two to the power of the exponent.
    let (_, exponent, _) = x.integer_decode();
    let epsilon = E::epsilon().to_f64().unwrap_or(1.0);
    E::of(2f64.powi(exponent.max(LOWEST).into()) / epsilon)
}
