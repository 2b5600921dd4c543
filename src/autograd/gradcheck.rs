//! Gradients compared with differences of values.

use super::forward::{duals, hvp_at, jvp_at, values_of};
use super::functional::{Inputs, Tensors, collected, fresh, pullback};
use crate::dual::Dual;
use crate::element::Element;
use crate::graph::{no_grad, recording};
use crate::random::Rng;
use crate::shape::Shape;
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor};
use num_traits::{Float, One};
use rand_core::Rng as _;
use std::error::Error;
use std::fmt;

/// A derivative that is not the slope of the values.
#[derive(Clone, PartialEq)]
pub struct GradcheckError {
    what: String,
    found: f64,
    slope: f64,
    apart: f64,
}

crate::error::debug_says_the_same! { GradcheckError }

impl GradcheckError {
    /// The derivative that the rules gave.
    pub fn found(&self) -> f64 {
        self.found
    }

    /// The slope of the values.
    pub fn slope(&self) -> f64 {
        self.slope
    }
}

impl fmt::Display for GradcheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GradcheckError {
            what,
            found,
            slope,
            apart,
        } = self;
        write!(
            f,
            "{what} is {found}, but differences say {slope}: more than {apart:.1e} apart. (Near a kink or a jump, \
             differences prove nothing.)"
        )
    }
}

impl Error for GradcheckError {}

/// Checks that the gradients of `function` at `inputs` are the slopes of its values. PyTorch: `autograd.gradcheck`.
///
/// Every number of every input is moved a little to both sides, and the change of a fixed random mixture of the
/// results compared with its gradient. Differences are of fourth order, with steps of 7·10⁻⁴ in `f64` and 0.04 in
/// `f32`, times the larger of the number and 1. Derivatives may be off by 1.5·10⁻⁷ and 3.5·10⁻³ of the larger of 1 and the
/// largest one of their input.
///
/// Use it in `f64` where possible, away from kinks, and on functions that compute the same each time.
///
/// # Errors
/// If a gradient is no slope: the first one, with its place.
///
/// ```
/// use shapeproof::autograd::gradcheck;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::<2, shape![3, 4], f64>::randn(&mut Rng::seed(0));
/// let w = Tensor::<1, shape![4], f64>::randn(&mut Rng::seed(1));
/// gradcheck(|(x, w)| (x * w).tanh().softmax::<1>(), (&x, &w)).unwrap();
/// ```
pub fn gradcheck<I: Inputs, const R: usize, S: Shape<R>>(
    function: impl Fn(I::Tensors) -> Tensor<R, S, I::Element>,
    inputs: I,
) -> Result<(), GradcheckError> {
    let seed = mixture::<I::Element>(S::NUMEL);
    let leaves = fresh(&inputs);
    let output = recording(|| function(collected(leaves.iter().cloned())));
    let start = values_of(&inputs);
    let mut grads = Vec::new();
    let grad: I::Tensors = pullback(output, leaves)(&Tensor::input(seed.clone()));
    grad.each(&mut |grad| grads.push(grad.values));

    for (input, grad) in grads.iter().enumerate() {
        let largest = largest(grad);
        for (place, &found) in grad.iter().enumerate() {
            let values = |step: I::Element| {
                let mut moved = start.clone();
                moved[input].make_mut()[place] += step;
                let moved = moved.into_iter().map(Raw::input);
                let output = no_grad(|| function(collected(moved)));
                vec![dot(&output.raw.values, &seed)]
            };
            let unit = start[input][place].abs().max(I::Element::one());
            let slope = slopes(values, step::<I::Element>() * unit)[0];
            compare(found, slope, largest, || {
                format!("the gradient with respect to number {place} of input {input}")
            })?;
        }
    }
    Ok(())
}

/// Checks that the derivative that dual numbers carry through `function` along a fixed random direction is the slope
/// of its values: [`jvp`](super::jvp) against differences, as [`gradcheck`] otherwise.
///
/// # Errors
/// If a derivative is no slope: the first one, with its place.
///
/// ```
/// use shapeproof::autograd::jvpcheck;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::<2, shape![3, 4], f64>::randn(&mut Rng::seed(0));
/// jvpcheck(|x| x.tanh().softmax::<1>(), &x).unwrap();
/// ```
pub fn jvpcheck<I: Inputs, const R: usize, S: Shape<R>>(
    function: impl Fn(I::Duals) -> Tensor<R, S, Dual<I::Element>>,
    inputs: I,
) -> Result<(), GradcheckError> {
    let start = values_of(&inputs);
    let direction: Vec<_> = start.iter().map(|values| mixture(values.len())).collect();
    let (_, tangent) = jvp_at(&function, duals(&start, &direction));
    let values = |step| {
        let moved = duals(&moved(&start, &direction, step), &still(&start));
        jvp_at(&function, moved).0.to_vec()
    };
    let slopes = slopes(values, step());
    let largest = largest(&tangent.raw.values);
    for (place, (&found, slope)) in tangent.raw.values.iter().zip(slopes).enumerate() {
        compare(found, slope, largest, || {
            format!("the derivative along a direction of number {place} of the result")
        })?;
    }
    Ok(())
}

/// Checks that the product of the Hessian of `loss` and a fixed random direction is the slope of its gradients:
/// [`hvp`](super::hvp) against differences, as [`gradcheck`] otherwise.
///
/// # Errors
/// If a product is no slope: the first one, with its place.
///
/// ```
/// use shapeproof::autograd::hvpcheck;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::<2, shape![3, 4], f64>::randn(&mut Rng::seed(0));
/// hvpcheck(|x| x.tanh().logsumexp_axis::<1>().sum(), &x).unwrap();
/// ```
pub fn hvpcheck<I: Inputs>(
    loss: impl Fn(I::Duals) -> Tensor<0, (), Dual<I::Element>>,
    inputs: I,
) -> Result<(), GradcheckError> {
    let mut dims = Vec::new();
    inputs.raws(&mut |_, of| dims.push(of));
    let start = values_of(&inputs);
    let direction: Vec<_> = start.iter().map(|values| mixture(values.len())).collect();
    let (_, products) = hvp_at(&loss, duals(&start, &direction), &dims);
    let grads = |step| {
        let moved = duals(&moved(&start, &direction, step), &still(&start));
        hvp_at(&loss, moved, &dims)
            .0
            .iter()
            .flat_map(|grad| grad.values.to_vec())
            .collect()
    };
    let mut slopes = slopes(grads, step()).into_iter();
    for (input, product) in products.iter().enumerate() {
        let largest = largest(&product.values);
        for ((place, &found), slope) in product.values.iter().enumerate().zip(&mut slopes) {
            compare(found, slope, largest, || {
                format!("the Hessian times a direction, at number {place} of input {input},")
            })?;
        }
    }
    Ok(())
}

/// Numbers between −1 and 1, the same every time.
fn mixture<E: Element>(len: usize) -> Buffer<E> {
    let mut rng = Rng::seed(len as u64);
    Buffer::from_fn(len, |_| E::of(2.0) * E::unit(rng.next_u64()) - E::one())
}

/// `start + step·direction`
fn moved<E: Element>(start: &[Buffer<E>], direction: &[Buffer<E>], step: E) -> Vec<Buffer<E>> {
    let pairs = start.iter().zip(direction);
    pairs
        .map(|(x, v)| Buffer::from_fn(x.len(), |i| x[i] + step * v[i]))
        .collect()
}

/// The direction in which nothing moves.
fn still<E: Element>(start: &[Buffer<E>]) -> Vec<Buffer<E>> {
    let zeros = |values: &Buffer<E>| Buffer::filled(values.len(), E::zero());
    start.iter().map(zeros).collect()
}

fn dot<E: Element>(a: &[E], b: &[E]) -> E {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

fn largest<E: Element>(numbers: &[E]) -> E {
    numbers.iter().fold(E::one(), |max, x| max.max(x.abs()))
}

/// Where the error of the differences, h⁴, and that of rounding, ε/h, are about equal.
fn step<E: Element>() -> E {
    E::epsilon().powf(E::of(0.2))
}

/// (f(−2h) − 8f(−h) + 8f(h) − f(2h))/12h, of every number.
fn slopes<E: Element>(at: impl Fn(E) -> Vec<E>, h: E) -> Vec<E> {
    let two = E::of(2.0);
    let (near, far) = ((at(-h), at(h)), (at(-two * h), at(two * h)));
    (0..near.0.len())
        .map(|i| {
            let (near, far) = (near.1[i] - near.0[i], far.1[i] - far.0[i]);
            (E::of(8.0) * near - far) / (E::of(12.0) * h)
        })
        .collect()
}

fn compare<E: Element>(
    found: E,
    slope: E,
    largest: E,
    what: impl FnOnce() -> String,
) -> Result<(), GradcheckError> {
    // Far above what differences are good for on smooth functions, and far below errors in formulas.
    let apart = E::epsilon().sqrt() * E::of(10.0) * largest;
    let agree = (found - slope).abs() <= apart || found == slope;
    if agree || (found.is_nan() && slope.is_nan()) {
        return Ok(());
    }
    let number = |x: E| x.to_f64().unwrap_or(f64::NAN);
    Err(GradcheckError {
        what: what(),
        found: number(found),
        slope: number(slope),
        apart: number(apart),
    })
}
