//! Scaled dot-product attention.

use super::argument::{Argument, Kept};
use super::compiled::compiled;
use super::lift::{Lifting, Marks};
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::attention::{Attention, Change, Softmax, Stretched};
use crate::shape::{AnyShape, Attend, BroadcastTo, Dims, Heads, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Mask, Param, Raw, Tensor, wrap};

/// What an attention of scores `Scores` does to them before the softmax.
///
/// | argument | effect |
/// |---|---|
/// | `()` | none |
/// | `&Mask` | a query sees a key where the mask is true |
/// | `&Tensor`, `&Param` | it is added to the scores; −∞ hides a key |
///
/// Masks and tensors stretch to the shape of the scores, `(…, Q, K)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no mask for attention scores `{Scores}`",
    label = "not a mask for these scores",
    note = "`()`, a `&Mask` of what may be seen, or a `&Tensor` that is added; both stretch to the scores `(.., Q, K)`"
)]
pub trait AttentionMask<Scores, E: Element> {
    /// The mask without its shape.
    #[doc(hidden)]
    fn effect(&self) -> Effect<E>;
}

/// What is done to the scores, without a type.
#[doc(hidden)]
#[derive(Clone)]
pub enum Effect<E: Element> {
    /// Nothing.
    Nothing,
    /// A mask and its sizes.
    Hide(Flags, Dims),
    /// A tensor and its sizes.
    Add(Raw<E>, Dims),
}

/// Truth values.
#[doc(hidden)]
#[derive(Clone)]
pub struct Flags(Buffer<u8>);

/// The sizes of the scores. With more examples there are more of them, and masks start again.
#[derive(Clone, Copy)]
pub(crate) struct Scores(Dims);

impl<E: Element> Argument for Effect<E> {
    type Held = Kept<Effect<E>>;
    fn is_mapped(&self) -> bool {
        match self {
            Effect::Nothing => false,
            Effect::Hide(Flags(flags), _) => flags.is_mapped(),
            Effect::Add(bias, _) => (&bias).is_mapped(),
        }
    }
    fn meets(&self, sizes: &mut Vec<Dims>) {
        if let Effect::Add(bias, _) = self {
            (&bias).meets(sizes);
        }
    }
    fn note(&self, marks: &mut Marks) {
        match self {
            Effect::Nothing => {}
            Effect::Hide(Flags(flags), _) => flags.note(marks),
            Effect::Add(bias, _) => (&bias).note(marks),
        }
    }
    fn given(self) -> Self::Held {
        Kept(self)
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        Kept(match self {
            Effect::Nothing => Effect::Nothing,
            Effect::Hide(Flags(flags), dims) => {
                Effect::Hide(Flags((&flags).example(lifting, i).clone()), dims)
            }
            Effect::Add(bias, dims) => Effect::Add(lifting.example(bias, i).clone(), dims),
        })
    }
}

impl<S, E: Element> AttentionMask<S, E> for () {
    fn effect(&self) -> Effect<E> {
        Effect::Nothing
    }
}

impl<const R: usize, M: Shape<R> + BroadcastTo<S>, S, E: Element> AttentionMask<S, E>
    for &Mask<R, M>
{
    fn effect(&self) -> Effect<E> {
        Effect::Hide(Flags(self.flags.clone()), M::DIMS)
    }
}

impl<const R: usize, B: Shape<R> + BroadcastTo<S>, S, E: Element> AttentionMask<S, E>
    for &Tensor<R, B, E>
{
    fn effect(&self) -> Effect<E> {
        Effect::Add(self.raw.clone(), B::DIMS)
    }
}

impl<const R: usize, B: Shape<R> + BroadcastTo<S>, S, E: Element> AttentionMask<S, E>
    for &Param<R, B, E>
{
    fn effect(&self) -> Effect<E> {
        Effect::Add(self.raw.clone(), B::DIMS)
    }
}

compiled! {
    /// Attention.
    trait Attending {
        fn attention(queries: &Raw<E>, keys: &Raw<E>, values: &Raw<E>, effect: Effect<E>, causal: bool, heads: Heads, scores: Scores, dims: Dims) -> Raw<E>
            => one_for_all(effect);
    }
}

struct AttentionRule<E: Element> {
    heads: Heads,
    causal: bool,
    stretched: Stretched,
    queries: Buffer<E>,
    keys: Buffer<E>,
    values: Buffer<E>,
    mask: Option<Buffer<u8>>,
    bias: Option<Buffer<E>>,
    output: Buffer<E>,
    softmax: Softmax<E>,
}

impl<E: Element> Rule<E> for AttentionRule<E> {
    fn name(&self) -> &'static str {
        "attention"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let attention = Attention {
            heads: self.heads,
            queries: &self.queries,
            keys: &self.keys,
            values: &self.values,
            change: match (&self.mask, &self.bias) {
                (Some(flags), _) => Change::Hide(flags),
                (_, Some(bias)) => Change::Add(bias),
                _ => Change::Nothing,
            },
            stretched: self.stretched,
            causal: self.causal,
        };
        let wanted = std::array::from_fn(|i| to.wanted(i));
        let grads = attention.backward(&grad, &self.output, &self.softmax, wanted);
        for (i, grad) in grads.into_iter().enumerate() {
            if let Some(grad) = grad {
                to.give(i, grad);
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("queries", Saved::Values(&self.queries));
        visit("keys", Saved::Values(&self.keys));
        visit("values", Saved::Values(&self.values));
        if let Some(mask) = &self.mask {
            visit("mask", Saved::Flags(mask));
        }
        if let Some(bias) = &self.bias {
            visit("bias", Saved::Values(bias));
        }
        visit("output", Saved::Values(&self.output));
        visit("shifts", Saved::Values(&self.softmax.shifts));
        visit("sums", Saved::Values(&self.softmax.sums));
    }
}

#[allow(clippy::too_many_arguments)] // the method below has the docs
fn attention<E: Element>(
    queries: &Raw<E>,
    keys: &Raw<E>,
    values: &Raw<E>,
    effect: Effect<E>,
    causal: bool,
    heads: Heads,
    Scores(scores): Scores,
    dims: Dims,
) -> Raw<E> {
    let (change, from) = match &effect {
        Effect::Nothing => (Change::Nothing, &[][..]),
        Effect::Hide(Flags(flags), dims) => (Change::Hide(flags), *dims),
        Effect::Add(bias, dims) => (Change::Add(&bias.values), *dims),
    };
    let stretched = Stretched::new(from, scores);
    let (output, softmax) = Attention {
        heads,
        queries: &queries.values,
        keys: &keys.values,
        values: &values.values,
        change,
        stretched,
        causal,
    }
    .forward();
    let bias = match &effect {
        Effect::Add(bias, _) => Some(bias),
        _ => None,
    };
    let nodes = [
        queries.node.as_ref(),
        keys.node.as_ref(),
        values.node.as_ref(),
        bias.and_then(|bias| bias.node.as_ref()),
    ];
    let node = parents(nodes).map(|parents| {
        let rule = AttentionRule {
            heads,
            causal,
            stretched,
            queries: queries.values.clone(),
            keys: keys.values.clone(),
            values: values.values.clone(),
            mask: match &effect {
                Effect::Hide(Flags(flags), _) => Some(flags.clone()),
                _ => None,
            },
            bias: bias.map(|bias| bias.values.clone()),
            output: output.clone(),
            softmax,
        };
        parents.record(dims, rule)
    });
    Raw {
        values: output,
        node,
    }
}

impl<const R: usize, Q: Shape<R>, E: Element> Tensor<R, Q, E> {
    /// For each query in `self` the mean of the values, weighted by how well the query meets their keys:
    /// softmax(q·kᵀ/√D)·v. PyTorch: `scaled_dot_product_attention`, with `attn_mask` and `is_causal`.
    ///
    /// Shapes `(…, Q, D)`, keys `(…, K, D)` and values `(…, K, V)` to `(…, Q, V)`. The axes before the last
    /// two, such as batch and heads, are equal in all three.
    ///
    /// `mask` is `()` for none, a `&Mask` that is true where a query may see a key, or a `&Tensor` that is
    /// added to the scores after they are scaled; either stretches to the scores `(…, Q, K)`. With `causal`,
    /// query i sees the keys 0 to i, whatever the numbers of queries and keys (PyTorch's rule: the diagonal
    /// starts at the top left). Both may be given; a key must then pass both.
    ///
    /// A query that sees no key gets zeros, and passes no gradient to anything; composed of matrix products
    /// and a softmax it would be NaN.
    ///
    /// The scores are never held all at once, neither here nor in backward: memory grows with Q + K, not
    /// with Q·K, and time with Q·K (half of it if `causal`). Backward computes the weights a second time.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// // Batch of 2, 4 heads, 16 positions of width 8.
    /// let x = Tensor::<4, shape![2, 4, 16, 8]>::randn(&mut Rng::seed(0));
    /// let y = x.scaled_dot_product_attention(&x, &x, (), true);
    /// assert_eq!(y.dims(), [2, 4, 16, 8]);
    ///
    /// // The first position sees itself alone.
    /// assert_eq!(y[[1, 3, 0, 5]], x[[1, 3, 0, 5]]);
    ///
    /// let allowed = Mask::<1, shape![3]>::from_array([true, false, true]);
    /// let (q, k) = (Tensor::<2, shape![1, 2]>::zeros(), Tensor::<2, shape![3, 2]>::ones());
    /// let v = Tensor::from([[1.0f32], [10.0], [3.0]]);
    /// assert_eq!(q.scaled_dot_product_attention(&k, &v, &allowed, false).to_array(), [[2.0]]);
    /// ```
    pub fn scaled_dot_product_attention<const P: usize, const O: usize, K, V, M>(
        &self,
        keys: &Tensor<P, K, E>,
        values: &Tensor<O, V, E>,
        mask: M,
        causal: bool,
    ) -> TensorOf<Q::Attended, E>
    where
        K: Shape<P>,
        V: Shape<O>,
        Q: Attend<K, V>,
        M: AttentionMask<Q::Scores, E>,
    {
        wrap::<Q::Attended, E>(<E::Ops as Attending<E>>::attention(
            &self.raw,
            &keys.raw,
            &values.raw,
            mask.effect(),
            causal,
            Q::HEADS,
            Scores(<Q::Scores as AnyShape>::DIMS),
            <Q::Attended as AnyShape>::DIMS,
        ))
    }
}
