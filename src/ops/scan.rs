//! Running sums, products and extremes: each entry of an axis with all before it.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{layout, scan};
use crate::shape::{Dims, HasAxis, PositionsOf, Shape, Split};
use crate::storage::Buffer;
use crate::tensor::{Positions, Raw, Tensor};

compiled! {
    /// Scans.
    trait Scan {
        fn cumsum(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn cumprod(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn logcumsumexp(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn cummax(x: &Raw<E>, split: Split, dims: Dims) -> (Raw<E>, Buffer<usize>);
        fn cummin(x: &Raw<E>, split: Split, dims: Dims) -> (Raw<E>, Buffer<usize>);
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The sum of everything up to each element along axis `AXIS`, with it. PyTorch: `cumsum`.
    ///
    /// Shape `S` to `S`. The error stays at a unit or two in the last place at any length. The gradient is
    /// the sum of everything from an element on, added up from the end: no digits cancel.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.cumsum::<1>().to_array(), [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]]);
    /// assert_eq!(x.cumsum::<0>().to_array(), [[1.0, 2.0, 3.0], [5.0, 7.0, 9.0]]);
    /// ```
    pub fn cumsum<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Scan<E>>::cumsum(&self.raw, S::SPLIT, S::DIMS))
    }

    /// The product of everything up to each element along axis `AXIS`, with it. PyTorch: `cumprod`.
    ///
    /// Shape `S` to `S`. The gradient divides by nothing and is right where elements are 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([2.0f32, 0.0, 3.0]).tracked();
    /// let y = x.cumprod::<0>();
    /// assert_eq!(y.to_array(), [2.0, 0.0, 0.0]);
    /// y.sum().backward();
    /// assert_eq!(x.grad().unwrap().to_array(), [1.0, 8.0, 0.0]);
    /// ```
    pub fn cumprod<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Scan<E>>::cumprod(&self.raw, S::SPLIT, S::DIMS))
    }

    /// ln Σ eˣ over everything up to each element along axis `AXIS`, without overflow. PyTorch:
    /// `logcumsumexp`.
    ///
    /// Shape `S` to `S`. Where nothing but −∞ came so far, the result is −∞ and the gradient 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([f32::NEG_INFINITY, -1000.0, 1000.0]);
    /// assert_eq!(x.logcumsumexp::<0>().to_array(), [f32::NEG_INFINITY, -1000.0, 1000.0]);
    /// ```
    pub fn logcumsumexp<const AXIS: usize>(&self) -> Self
    where
        S: HasAxis<AXIS>,
    {
        Self::from_raw(<E::Ops as Scan<E>>::logcumsumexp(
            &self.raw,
            S::SPLIT,
            S::DIMS,
        ))
    }
}

macro_rules! extremes {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name<const AXIS: usize>(&self) -> (Self, PositionsOf<S, AXIS, S>)
            where
                S: HasAxis<AXIS>,
            {
                let (values, at) = <E::Ops as Scan<E>>::$name(&self.raw, S::SPLIT, S::DIMS);
                (Self::from_raw(values), Positions(at).into())
            }
        )*}
    };
}
extremes! {
    /// The largest of everything up to each element along axis `AXIS`, and where it stands. PyTorch:
    /// `cummax`.
    ///
    /// Shape `S` to `S` and to `Indices` of shape `S`, below the axis's size. Of several equal elements the
    /// first counts and receives the gradient, as in [`max`](Self::max) (in PyTorch the last). NaN counts as
    /// larger than any number.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (values, at) = Tensor::from([1.0f32, 3.0, 2.0, 3.0, 4.0]).cummax::<0>();
    /// assert_eq!(values.to_array(), [1.0, 3.0, 3.0, 3.0, 4.0]);
    /// assert_eq!(at.to_array(), [0, 1, 1, 1, 4]);
    /// ```
    cummax;
    /// The smallest of everything up to each element along axis `AXIS`, and where it stands; otherwise as
    /// [`cummax`](Self::cummax). NaN counts as smaller than any number. PyTorch: `cummin`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (values, at) = Tensor::from([3.0f32, 1.0, 2.0, 0.0]).cummin::<0>();
    /// assert_eq!(values.to_array(), [3.0, 1.0, 1.0, 0.0]);
    /// assert_eq!(at.to_array(), [0, 1, 1, 3]);
    /// ```
    cummin;
}

struct CumSum {
    split: Split,
}

impl<E: Element> Rule<E> for CumSum {
    fn name(&self) -> &'static str {
        "cumsum"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, scan::cumsum(&grad, self.split, true));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn cumsum<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    Raw {
        values: scan::cumsum(&x.values, split, false),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, CumSum { split })),
    }
}

struct CumProd<E: Element> {
    split: Split,
    input: Buffer<E>,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for CumProd<E> {
    fn name(&self) -> &'static str {
        "cumprod"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let grad = scan::cumprod_backward(&self.input, &self.output, &grad, self.split);
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("output", Saved::Values(&self.output));
    }
}

fn cumprod<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let values = scan::cumprod(&x.values, split);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let (input, output) = (x.values.clone(), values.clone());
        let rule = CumProd {
            split,
            input,
            output,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

struct LogCumSumExp<E: Element> {
    split: Split,
    input: Buffer<E>,
    output: Buffer<E>,
}

impl<E: Element> Rule<E> for LogCumSumExp<E> {
    fn name(&self) -> &'static str {
        "logcumsumexp"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let grad = scan::logcumsumexp_backward(&self.input, &self.output, &grad, self.split);
        to.give(0, grad);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
        visit("output", Saved::Values(&self.output));
    }
}

fn logcumsumexp<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let values = scan::logcumsumexp(&x.values, split);
    let node = parents([x.node.as_ref()]).map(|parents| {
        let (input, output) = (x.values.clone(), values.clone());
        let rule = LogCumSumExp {
            split,
            input,
            output,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

/// The best so far; whether the largest or the smallest shows in its name alone.
struct CumBest<const MAX: bool> {
    /// Where each element of the result comes from.
    places: Buffer<usize>,
}

macro_rules! best {
    ($($name:ident, $label:literal, $MAX:literal, $better:expr;)*) => {$(
        impl<E: Element> Rule<E> for CumBest<$MAX> {
            fn name(&self) -> &'static str {
        $label
    }
            fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
                to.add_into(0, |sum| layout::add_rows(sum, 1, &self.places, &grad));
            }
            fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
                visit("places", Saved::Positions(&self.places));
            }
        }

        fn $name<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> (Raw<E>, Buffer<usize>) {
            let places = scan::cumbest(&x.values, split, $better);
            let at = Buffer::from_fn(places.len(), |i| places[i] / split.inner % split.len);
            let values = layout::take_rows(&x.values, 1, &places);
            let node = parents([x.node.as_ref()])
                .map(|parents| parents.record(dims, CumBest::<$MAX> { places }));
            (Raw { values, node }, at)
        }
    )*};
}
best! {
    cummax, "cummax", true, |a, b| a > b;
    cummin, "cummin", false, |a, b| a < b;
}
