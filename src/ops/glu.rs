//! The gated linear unit: one half of an axis gates the other.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{Lanes, MapWith, Pointwise, Widest};
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

/// A value behind its gate, x·σ(gate).
struct Gated;
/// What passed it without the gate, x, times the gate's slope, σ(gate)·(1 − σ(gate)).
struct Slope;

impl<E: Element> Pointwise<E, 2> for Gated {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x, gate]: [V; 2]) -> V {
        x * gate.logistic()
    }
}

impl<E: Element> Pointwise<E, 2> for Slope {
    #[inline(always)]
    fn at<V: Lanes<Element = E>>(&self, [x, gate]: [V; 2]) -> V {
        x * (gate.logistic() * (-gate).logistic())
    }
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
        if !out.is_empty() {
            let blocks = out
                .fresh()
                .chunks_exact_mut(2 * half)
                .zip(x.chunks_exact(2 * half));
            for ((out, x), grad) in blocks.zip(grad.chunks_exact(half)) {
                let ((value, gate), (to_value, to_gate)) =
                    (x.split_at(half), out.split_at_mut(half));
                to_value.copy_from_slice(grad);
                Widest(Gated).update(to_value, gate);
                for ((to, &g), &value) in to_gate.iter_mut().zip(grad).zip(value) {
                    *to = g * value;
                }
                Widest(Slope).update(to_gate, gate);
            }
        }
        to.give(0, out);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("input", Saved::Values(&self.input));
    }
}

fn glu<E: Element>(x: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let half = half(split);
    let mut values = Buffer::dirty(x.values.len() / 2);
    if !values.is_empty() {
        let blocks = x.values.chunks_exact(2 * half);
        for (out, block) in values.fresh().chunks_exact_mut(half).zip(blocks) {
            let (value, gate) = block.split_at(half);
            out.copy_from_slice(value);
            Widest(Gated).update(out, gate);
        }
    }
    Raw {
        values,
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
