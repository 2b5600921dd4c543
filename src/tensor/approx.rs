//! Tensors in `assert_relative_eq!` and its kin, of the `approx` crate: true if it holds for every element.

use super::Tensor;
use crate::element::Element;
use crate::graph::level::read;
use crate::shape::{AnyShape, Rank};
use approx::{AbsDiffEq, RelativeEq, UlpsEq};

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E> Tensor<R, S, E>
where
    E: Element,
{
    fn every(&self, other: &Self, close: impl Fn(&E, &E) -> bool) -> bool {
        let values = [self, other].map(|tensor| read(&tensor.raw.values));
        let mut pairs = values[0].iter().zip(&**values[1]);
        pairs.all(|(a, b)| close(a, b))
    }
}

impl<const R: usize, S, E> AbsDiffEq for Tensor<R, S, E>
where
    S: AnyShape<Rank = Rank<R>>,
    E: Element + AbsDiffEq<Epsilon: Copy>,
{
    type Epsilon = E::Epsilon;
    fn default_epsilon() -> E::Epsilon {
        E::default_epsilon()
    }
    fn abs_diff_eq(&self, other: &Self, epsilon: E::Epsilon) -> bool {
        self.every(other, |a, b| a.abs_diff_eq(b, epsilon))
    }
}

impl<const R: usize, S, E> RelativeEq for Tensor<R, S, E>
where
    S: AnyShape<Rank = Rank<R>>,
    E: Element + RelativeEq<Epsilon: Copy>,
{
    fn default_max_relative() -> E::Epsilon {
        E::default_max_relative()
    }
    fn relative_eq(&self, other: &Self, epsilon: E::Epsilon, max_relative: E::Epsilon) -> bool {
        self.every(other, |a, b| a.relative_eq(b, epsilon, max_relative))
    }
}

impl<const R: usize, S, E> UlpsEq for Tensor<R, S, E>
where
    S: AnyShape<Rank = Rank<R>>,
    E: Element + UlpsEq<Epsilon: Copy>,
{
    fn default_max_ulps() -> u32 {
        E::default_max_ulps()
    }
    fn ulps_eq(&self, other: &Self, epsilon: E::Epsilon, max_ulps: u32) -> bool {
        self.every(other, |a, b| a.ulps_eq(b, epsilon, max_ulps))
    }
}
