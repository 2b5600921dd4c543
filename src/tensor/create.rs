//! Making tensors: constants, ranges, data from outside, random numbers.

use super::Tensor;
use crate::element::{Element, count};
use crate::error::LengthError;
use crate::random;
use crate::shape::{AnyShape, Axis, Dim, OneAxis, Rank, Shape, Square};
use crate::storage::Buffer;

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// All elements `value`. PyTorch: `full`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<1, shape![2]>::full(7.0).to_array(), [7.0, 7.0]);
    /// ```
    pub fn full(value: E) -> Self {
        Self::input(Buffer::filled(S::NUMEL, value))
    }

    /// All elements 0. PyTorch: `zeros`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<1, shape![2]>::zeros().to_array(), [0.0, 0.0]);
    /// ```
    pub fn zeros() -> Self {
        Self::full(E::zero())
    }

    /// All elements 1. PyTorch: `ones`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<1, shape![2]>::ones().to_array(), [1.0, 1.0]);
    /// ```
    pub fn ones() -> Self {
        Self::full(E::one())
    }

    /// The elements of a nested array of this very shape, axes of size 1 included. PyTorch: `tensor`; NumPy:
    /// `array`.
    ///
    /// `Tensor::from` infers the shape instead, and makes every axis a `Dim`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let column = Tensor::<2, shape![3, 1]>::from_array([[1.0], [2.0], [3.0]]);
    /// assert_eq!((&column + &column).to_array(), [[2.0], [4.0], [6.0]]);
    /// ```
    pub fn from_array(array: S::Array<E>) -> Self {
        let mut values = Vec::with_capacity(S::NUMEL);
        S::visit(&array, &mut |&value| values.push(value));
        Self::input(Buffer::from_slice(&values))
    }

    /// A copy of a slice, in row-major order.
    ///
    /// # Errors
    /// If the slice has another length than the shape has elements.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<2, shape![2, 2]>::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x[[1, 0]], 3.0);
    /// let error = Tensor::<2, shape![2, 2]>::from_slice(&[1.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "1 value for shape (2, 2), which has 4 elements");
    /// # Ok::<(), shapeproof::error::LengthError>(())
    /// ```
    pub fn from_slice(values: &[E]) -> Result<Self, LengthError> {
        if values.len() == S::NUMEL {
            Ok(Self::input(Buffer::from_slice(values)))
        } else {
            Err(LengthError::new(values.len(), S::DIMS))
        }
    }

    /// The elements of a vector, in row-major order.
    ///
    /// # Errors
    /// If the vector has another length than the shape has elements.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let squares = Tensor::<1, shape![3]>::from_vec((0..3).map(|i| (i * i) as f32).collect())?;
    /// assert_eq!(squares.to_array(), [0.0, 1.0, 4.0]);
    /// # Ok::<(), shapeproof::error::LengthError>(())
    /// ```
    pub fn from_vec(values: Vec<E>) -> Result<Self, LengthError> {
        Self::from_slice(&values)
    }

    /// Independent numbers, uniform in `0.0..1.0`. PyTorch: `rand`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![100]>::rand(&mut Rng::seed(0));
    /// assert!(x.iter().all(|x| (0.0..1.0).contains(&x)));
    /// ```
    pub fn rand(rng: &mut impl rand_core::Rng) -> Self {
        Self::input(random::units(S::NUMEL, rng))
    }

    /// Independent numbers, uniform in `low..high`.
    ///
    /// # Panics
    /// If `low` is not below `high`, or their distance is not finite.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![100]>::uniform(-1.0, 2.0, &mut Rng::seed(0));
    /// assert!(x.iter().all(|x| (-1.0..2.0).contains(&x)));
    /// ```
    #[track_caller]
    pub fn uniform(low: E, high: E, rng: &mut impl rand_core::Rng) -> Self {
        Self::input(random::uniforms(S::NUMEL, low, high, rng))
    }

    /// Independent numbers from the standard normal distribution. PyTorch: `randn`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![1000]>::randn(&mut Rng::seed(0));
    /// assert!(x.mean().item().abs() < 0.1 && (x.std(1).item() - 1.0).abs() < 0.1);
    /// ```
    pub fn randn(rng: &mut impl rand_core::Rng) -> Self {
        Self::normal(E::zero(), E::one(), rng)
    }

    /// Independent numbers from the normal distribution of this mean and standard deviation.
    ///
    /// # Panics
    /// If `std` is negative or NaN.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<1, shape![2]>::normal(3.0, 0.0, &mut Rng::seed(0));
    /// assert_eq!(x.to_array(), [3.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn normal(mean: E, std: E, rng: &mut impl rand_core::Rng) -> Self {
        Self::input(random::normals(S::NUMEL, mean, std, rng))
    }

    /// Zeros of this tensor's shape. PyTorch: `zeros_like`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).zeros_like().to_array(), [0.0, 0.0]);
    /// ```
    pub fn zeros_like(&self) -> Self {
        Self::zeros()
    }

    /// Ones of this tensor's shape. PyTorch: `ones_like`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 2.0]).ones_like().to_array(), [1.0, 1.0]);
    /// ```
    pub fn ones_like(&self) -> Self {
        Self::ones()
    }

    /// Independent numbers, uniform in `0.0..1.0`, of this tensor's shape. PyTorch: `rand_like`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!((&x + x.rand_like(&mut Rng::seed(0))).dims(), [2]);
    /// ```
    pub fn rand_like(&self, rng: &mut impl rand_core::Rng) -> Self {
        Self::rand(rng)
    }

    /// Independent numbers from the standard normal distribution, of this tensor's shape. PyTorch:
    /// `randn_like`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]);
    /// assert_eq!((&x + x.randn_like(&mut Rng::seed(0)) * 0.1).dims(), [2]);
    /// ```
    pub fn randn_like(&self, rng: &mut impl rand_core::Rng) -> Self {
        Self::randn(rng)
    }

    /// The values converted to another element type. PyTorch: `to`; NumPy: `astype`.
    ///
    /// No graph is behind them: unlike in PyTorch, gradients do not flow through. Convert data before it enters a graph.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([0.5f32]).cast::<f64>();
    /// assert_eq!(x[[0]], 0.5f64);
    /// ```
    pub fn cast<F: Element>(&self) -> Tensor<R, S, F> {
        Tensor::input(converted(&self.raw.values).marked(self.raw.values.mark()))
    }
}

impl<E: Element> Tensor<0, (), E> {
    /// A single number.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::scalar(2.5f32).item(), 2.5);
    /// ```
    pub fn scalar(value: E) -> Self {
        Self::full(value)
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The identity matrix; it is square. PyTorch: `eye`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<2, shape![2, 2]>::eye().to_array(), [[1.0, 0.0], [0.0, 1.0]]);
    /// ```
    pub fn eye() -> Self
    where
        S: Square,
    {
        Self::input(identity(S::Axis::SIZE))
    }

    /// `start`, `start + step`, `start + 2·step`, …: as many as the axis holds. It is a vector. PyTorch: `arange`.
    ///
    /// The second number is the step, not the end as in NumPy and PyTorch: the end follows from the type. 0 to 9 are
    /// `Tensor::<1, shape![10]>::arange(0.0, 1.0)`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<1, shape![4]>::arange(0.0, 0.5).to_array(), [0.0, 0.5, 1.0, 1.5]);
    /// ```
    pub fn arange(start: E, step: E) -> Self
    where
        S: OneAxis,
    {
        Self::input(stairs(S::NUMEL, start, step))
    }

    /// Evenly spaced numbers from `start` to `end`, both included. A single number is `start`. It is a
    /// vector. PyTorch: `linspace`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::<1, shape![3]>::linspace(0.0, 1.0).to_array(), [0.0, 0.5, 1.0]);
    /// ```
    pub fn linspace(start: E, end: E) -> Self
    where
        S: OneAxis,
    {
        Self::input(between(S::NUMEL, start, end))
    }
}

// A closure belongs to the function around it, and would be compiled for every shape; so these are functions of
// the element alone.

fn converted<E: Element, F: Element>(values: &[E]) -> Buffer<F> {
    Buffer::from_fn(values.len(), |i| F::from(values[i]).unwrap_or_else(F::nan))
}

fn identity<E: Element>(n: usize) -> Buffer<E> {
    let entry = |i: usize| if i / n == i % n { E::one() } else { E::zero() };
    Buffer::from_fn(n * n, entry)
}

fn stairs<E: Element>(n: usize, start: E, step: E) -> Buffer<E> {
    Buffer::from_fn(n, |i| start + count::<E>(i) * step)
}

fn between<E: Element>(n: usize, start: E, end: E) -> Buffer<E> {
    let last = n.saturating_sub(1);
    // From the nearer end, so that both ends are exact.
    Buffer::from_fn(n, |i| {
        let steps = count(last.max(1));
        let step = match (end - start) / steps {
            step if step.is_finite() => step,
            // The difference of two finite numbers may be none.
            _ => end / steps - start / steps,
        };
        if 2 * i <= last {
            start + count::<E>(i) * step
        } else {
            end - count::<E>(last - i) * step
        }
    })
}

impl<E: Element> From<E> for Tensor<0, (), E> {
    fn from(value: E) -> Self {
        Self::scalar(value)
    }
}

/// From nested arrays, with the shape inferred: every axis is a `Dim`.
macro_rules! from_arrays {
    ($($rank:literal: [$($N:ident)*] $array:ty;)*) => {$(
        impl<$(const $N: usize,)* E: Element> From<$array> for Tensor<$rank, ($(Dim<$N>,)*), E> {
            fn from(array: $array) -> Self {
                Self::from_array(array)
            }
        }
    )*};
}
from_arrays! {
    1: [A] [E; A];
    2: [A B] [[E; B]; A];
    3: [A B C] [[[E; C]; B]; A];
    4: [A B C D] [[[[E; D]; C]; B]; A];
    5: [A B C D F] [[[[[E; F]; D]; C]; B]; A];
    6: [A B C D F G] [[[[[[E; G]; F]; D]; C]; B]; A];
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>> + Shape<R>, E: Element> Default
    for Tensor<R, S, E>
{
    fn default() -> Self {
        Self::zeros()
    }
}
