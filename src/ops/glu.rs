//! The gated linear unit: one half of an axis gates the other.

use super::activation::logistic;
use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::shape::{AnyShape, Axis, Dims, Halve, HasAxis, Shape, Split, TensorOf, check_half};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// The gated linear unit.
    trait Gate {
        fn glu(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
    }
}

struct Glu<E: Element> {
    split: Split,
    input: Buffer<E>,
}

/// Where element `i` of the result has its value; the gate follows `half` later.
fn place(i: usize, half: usize) -> usize {
    i / half * (2 * half) + i % half
}

/// Elements in one half of a block.
fn half(split: Split) -> usize {
    split.len / 2 * split.inner
}

impl<E: Element> Rule<E> for Glu<E> {
    fn name(&self) -> &'static str {
        "glu"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (x, half) = (&*self.input, half(self.split));
        let mut out = Buffer::dirty(x.len());
        let values = out.fresh();
        for (i, &g) in grad.iter().enumerate() {
            let at = place(i, half);
            let open = logistic(x[at + half]);
            values[at] = g * open;
            values[at + half] = g * x[at] * (open * logistic(-x[at + half]));
        }
        to.give(0, out);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
    }
}

fn glu<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let (values, half) = (&*x.values, half(split));
    let gated = |i: usize| {
        let at = place(i, half);
        values[at] * logistic(values[at + half])
    };
    Raw {
        values: Buffer::from_fn(values.len() / 2, gated),
        node: parents([x.node.as_ref()]).map(|parents| {
            let input = x.values.clone();
            parents.record(dims, Glu { split, input })
        }),
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The first half of axis `AXIS`, each element times σ of its counterpart in the second half. PyTorch:
    /// `glu(dim=AXIS)`.
    ///
    /// Shape `S` to `S` with half of the axis, whose size is even and computed in the type; see
    /// [`glu_as`](Self::glu_as) for sizes above 2047 and for generic code. For a·σ(b), gradients g·σ(b) and
    /// g·a·σ(b)·(1 − σ(b)) (Dauphin et al. 2016).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 2.0, 0.0, 1e4], [3.0, 4.0, -1e4, 0.0]]);
    /// let y: Tensor<2, shape![2, 2]> = x.glu::<1>();
    /// assert_eq!(y.to_array(), [[0.5, 2.0], [0.0, 2.0]]);
    /// ```
    pub fn glu<const AXIS: usize>(&self) -> TensorOf<<S as Halve<AXIS>>::Output, E>
    where
        S: Halve<AXIS>,
    {
        let dims = <<S as Halve<AXIS>>::Output as AnyShape>::DIMS;
        wrap::<<S as Halve<AXIS>>::Output, E>(<E::Ops as Gate<E>>::glu(&self.raw, S::SPLIT, dims))
    }

    /// [`glu`](Self::glu) with a half `H` that the caller names. PyTorch: `glu(dim=AXIS)`.
    ///
    /// An axis that is not twice as long as `H` does not compile; that is found when the program is built,
    /// not by `cargo check`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// fn gate<B: Axis, const N: usize, const H: usize>(x: &Tensor<2, (B, Dim<N>)>) -> Tensor<2, (B, Dim<H>)> {
    ///     x.glu_as::<1, Dim<H>>()
    /// }
    /// let y: Tensor<2, shape![2, 3]> = gate(&Tensor::<2, shape![2, 6]>::zeros());
    /// ```
    pub fn glu_as<const AXIS: usize, H: Axis>(&self) -> TensorOf<S::With<H>, E>
    where
        S: HasAxis<AXIS>,
    {
        const { check_half::<S, AXIS, H>() }
        let dims = <S::With<H> as AnyShape>::DIMS;
        wrap::<S::With<H>, E>(<E::Ops as Gate<E>>::glu(&self.raw, S::SPLIT, dims))
    }
}
