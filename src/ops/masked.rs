//! Masks as operands and as answers: filling, dropout, and which numbers are finite.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::layout;
use crate::random;
use crate::shape::{BroadcastTo, Dims, Plan, Shape, Share};
use crate::storage::Buffer;
use crate::tensor::{Mask, Raw, Tensor, mask_of};

/// Kinds of numbers.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Nan,
    Finite,
    Infinite,
}

compiled! {
    /// Filling, dropout and kinds of numbers.
    trait Masked {
        fn masked_fill(x: &Raw<E>, flags: &Buffer<u8>, plan: &'static Plan, value: E, dims: Dims) -> Raw<E>;
        fn dropout(x: &Raw<E>, flags: Buffer<u8>, keep: E, dims: Dims) -> Raw<E>;
        fn kind(x: &Raw<E>, which: Kind) -> Buffer<u8>;
    }
}

/// `f` of the values that are flagged, 0 for the others, chosen and not multiplied: what is not flagged stays
/// out even if it is not finite.
fn where_flagged<E: Element>(x: &[E], flags: &[u8], flag: u8, f: impl Fn(E) -> E) -> Buffer<E> {
    let mut out = Buffer::dirty(x.len());
    for ((out, &x), &other) in out.fresh().iter_mut().zip(x).zip(flags) {
        *out = if other == flag { f(x) } else { E::zero() };
    }
    out
}

struct MaskedFill {
    /// 1 where the value was replaced.
    flags: Buffer<u8>,
}

impl<E: Element> Rule<E> for MaskedFill {
    fn name(&self) -> &'static str {
        "masked_fill"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, where_flagged(&grad, &self.flags, 0, |g| g));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("mask", Saved::Flags(&self.flags));
    }
}

fn masked_fill<E: Element>(
    x: &Raw<E>,
    flags: &Buffer<u8>,
    plan: &'static Plan,
    value: E,
    dims: Dims,
) -> Raw<E> {
    let flags = layout::stretch(flags, plan);
    let mut values = Buffer::from_slice(&x.values);
    for (x, &flag) in values.fresh().iter_mut().zip(&*flags) {
        // Written either way, which takes no branch.
        *x = if flag == 1 { value } else { *x };
    }
    let node = parents([x.node.as_ref()]).map(|parents| parents.record(dims, MaskedFill { flags }));
    Raw { values, node }
}

struct Dropout<E: Element> {
    /// 1 where the value was kept.
    flags: Buffer<u8>,
    /// The probability of that.
    keep: E,
}

impl<E: Element> Rule<E> for Dropout<E> {
    fn name(&self) -> &'static str {
        "dropout"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, where_flagged(&grad, &self.flags, 1, |g| g / self.keep));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("mask", Saved::Flags(&self.flags));
        let keep = self.keep.to_f64().unwrap_or(f64::NAN);
        visit("keep", Saved::Number(keep));
    }
}

fn dropout<E: Element>(x: &Raw<E>, flags: Buffer<u8>, keep: E, dims: Dims) -> Raw<E> {
    Raw {
        values: where_flagged(&x.values, &flags, 1, |x| x / keep),
        node: parents([x.node.as_ref()])
            .map(|parents| parents.record(dims, Dropout { flags, keep })),
    }
}

fn kind<E: Element>(x: &Raw<E>, which: Kind) -> Buffer<u8> {
    let x = &x.values;
    Buffer::from_fn(x.len(), |i| {
        u8::from(match which {
            Kind::Nan => x[i].is_nan(),
            Kind::Finite => x[i].is_finite(),
            Kind::Infinite => x[i].is_infinite(),
        })
    })
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The values with `value` in place of those where the mask is true. PyTorch: `masked_fill`.
    ///
    /// Shape `S` to `S`; the mask stretches to it. Derivative 0 where the mask is true, 1 elsewhere.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, f32::NAN], [3.0, 4.0]]);
    /// assert_eq!(x.masked_fill(&x.is_nan(), 0.0).to_array(), [[1.0, 0.0], [3.0, 4.0]]);
    /// let last = Mask::<1, shape![2]>::from_array([false, true]);
    /// assert_eq!(x.masked_fill(&last, 9.0).to_array(), [[1.0, 9.0], [3.0, 9.0]]);
    /// ```
    pub fn masked_fill<const Q: usize, M>(&self, mask: &Mask<Q, M>, value: E) -> Self
    where
        M: Shape<Q> + BroadcastTo<S>,
    {
        Self::from_raw(<E::Ops as Masked<E>>::masked_fill(
            &self.raw,
            &mask.flags,
            <M as BroadcastTo<S>>::PLAN,
            value,
            S::DIMS,
        ))
    }

    /// While `training`, zeros in place of values that are drawn with probability `p` each, and the other values
    /// divided by 1 − `p`, so that the mean stays; otherwise the values as they are. PyTorch: `dropout`.
    ///
    /// Shape `S` to `S`; derivative 1/(1 − `p`) where a value was kept, 0 elsewhere (Srivastava et al. 2014). At
    /// `p` = 1 everything is 0, whatever it was. Numbers are drawn, one an element, only while `training` and
    /// where `p` is not 0.
    ///
    /// # Panics
    /// If `p` is not from 0 to 1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let (x, rng) = (Tensor::<1, shape![1000]>::ones(), &mut Rng::seed(0));
    /// let y = x.dropout(0.5, true, rng);
    /// assert!(y.iter().all(|y| y == 0.0 || y == 2.0));
    /// assert!((y.mean().item() - 1.0).abs() < 0.1);
    /// assert_eq!(x.dropout(0.5, false, rng), x);
    /// ```
    #[track_caller]
    pub fn dropout(&self, p: f64, training: bool, rng: &mut impl rand_core::Rng) -> Self {
        assert!(
            (0.0..=1.0).contains(&p),
            "dropout: a probability of {p}, which is not in 0..=1"
        );
        if !training || p == 0.0 {
            return self.clone();
        }
        let values = &self.raw.values;
        let flags = Buffer::from_fn(values.len(), |_| u8::from(random::unit::<f64>(rng) >= p));
        // What all examples share has one mask for all.
        let flags = match values.mark().share() {
            Share::Each => flags.marked(values.mark()),
            _ => flags,
        };
        let keep = E::of(1.0 - p);
        Self::from_raw(<E::Ops as Masked<E>>::dropout(
            &self.raw,
            flags,
            keep,
            S::DIMS,
        ))
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $Kind:ident;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name(&self) -> Mask<R, S> {
                mask_of::<S>(<E::Ops as Masked<E>>::kind(&self.raw, Kind::$Kind))
            }
        )*}
    };
}
kinds! {
    /// Where the values are NaN. PyTorch: `isnan`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, f32::NAN]).is_nan().to_array(), [false, true]);
    /// ```
    is_nan Nan;
    /// Where the values are neither NaN nor infinite. PyTorch: `isfinite`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, f32::INFINITY]).is_finite().to_array(), [true, false]);
    /// ```
    is_finite Finite;
    /// Where the values are ∞ or −∞. PyTorch: `isinf`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([f32::NAN, f32::NEG_INFINITY]).is_infinite().to_array(), [false, true]);
    /// ```
    is_infinite Infinite;
}
