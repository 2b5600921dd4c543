//! The error function, logarithms and powers of other bases, and logarithms of sums and odds.

use super::activation::Softplus;
use super::arithmetic::{Arithmetic, pairwise};
use super::binary::InLanes;
use super::unary::unary_ops;
use crate::element::Element;
use crate::kernel::Lanes;
use crate::shape::{Broadcast, Shape, TensorOf};
use crate::tensor::Tensor;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};

unary_ops! {
    /// Special functions.
    trait Special;

    /// The error function 2/√π·∫₀ˣ e^(−t²) dt, elementwise. PyTorch: `erf`.
    ///
    /// Shape `S` to `S`; derivative 2/√π·e^(−x²).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.0f32, 10.0]).erf().to_array(), [0.0, 1.0]);
    /// ```
    erf() saves Input, in lanes: |x| x.erf(), |g, x| g * bell(x);

    /// 1 − erf(x), elementwise, without its cancellation where x is large. PyTorch: `erfc`.
    ///
    /// Shape `S` to `S`; derivative −2/√π·e^(−x²).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let y = Tensor::from([0.0f64, 10.0]).erfc().to_array();
    /// assert_eq!(y[0], 1.0);
    /// assert!((y[1] / 2.0884875837625446e-45 - 1.0).abs() < 1e-14);
    /// ```
    erfc() saves Input: |x| x.erfc(), |g, x| -(g * E::of(FRAC_2_SQRT_PI) * (-x * x).exp());

    /// The logarithm of base 2, elementwise. PyTorch: `log2`.
    ///
    /// Shape `S` to `S`; derivative 1/(x·ln 2). log₂ 0 is −∞, and NaN below 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 8.0]).log2().to_array(), [0.0, 3.0]);
    /// ```
    log2() saves Input, in lanes: |x| x.log2(), |g, x| g / (x * V::of(LN_2));

    /// The logarithm of base 10, elementwise. PyTorch: `log10`.
    ///
    /// Shape `S` to `S`; derivative 1/(x·ln 10). log₁₀ 0 is −∞, and NaN below 0.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([1.0f32, 1000.0]).log10().to_array(), [0.0, 3.0]);
    /// ```
    log10() saves Input, in lanes: |x| x.log10(), |g, x| g / (x * V::of(LN_10));

    /// 2ˣ, elementwise. PyTorch: `exp2`.
    ///
    /// Shape `S` to `S`; derivative 2ˣ·ln 2.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([3.0f32, -1.0]).exp2().to_array(), [8.0, 0.5]);
    /// ```
    exp2() saves Output, in lanes: |x| x.exp2(), |g, y| g * (y * V::of(LN_2));

    /// The logarithm of the odds, ln(x/(1 − x)), elementwise: the inverse of [`sigmoid`](Self::sigmoid).
    /// PyTorch: `logit`.
    ///
    /// Shape `S` to `S`; derivative 1/(x·(1 − x)). ∓∞ at 0 and 1, NaN beyond: where probabilities may reach
    /// the ends, [`clamp`](Self::clamp) them first.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([0.5f32, 0.0, 1.0]).logit().to_array(), [0.0, f32::NEG_INFINITY, f32::INFINITY]);
    /// ```
    logit() saves Input: |x| log_odds(x), |g, x| g / (x * (E::one() - x));

    /// ln σ(x) = −ln(1 + e⁻ˣ), elementwise, without overflow at either end. PyTorch: `logsigmoid`.
    ///
    /// Shape `S` to `S`; derivative σ(−x).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// assert_eq!(Tensor::from([-1e4f32, 1e4]).log_sigmoid().to_array(), [-1e4, 0.0]);
    /// ```
    log_sigmoid() saves Input, in lanes: |x| -(-x).apply::<Softplus>(), |g, x| g * (-x).logistic();
}

/// ln(x/(1 − x)); in the middle from 2x − 1, which is exact, because the logarithm of a number near 1 is its
/// difference from 1.
fn log_odds<E: Element>(x: E) -> E {
    let rest = E::one() - x;
    if (x - E::of(0.5)).abs() < E::of(0.25) {
        ((x + x - E::one()) / rest).ln_1p()
    } else {
        (x / rest).ln()
    }
}

/// The derivative of erf.
#[inline(always)]
fn bell<V: Lanes>(x: V) -> V {
    (-(x * x)).exp() * V::of(FRAC_2_SQRT_PI)
}

/// ln(eᵃ + eᵇ)
pub(super) struct LogAddExp;
impl<E: Element> InLanes<E> for LogAddExp {
    const NAME: &'static str = "logaddexp";
    #[inline(always)]
    fn forward<V: Lanes<Element = E>>(a: V, b: V) -> V {
        let half = V::of(0.5);
        let apart = a.or_larger(b) + (-(a - b).abs()).apply::<Softplus>();
        // Two equal infinities have no difference; NaN comes here too.
        let equal = a * half + b * half + V::of(LN_2);
        a.if_less(b, apart, b.if_less(a, apart, equal))
    }
    /// What `a` contributes to the sum: nothing where both are −∞, as in `logsumexp`.
    #[inline(always)]
    fn lhs<V: Lanes<Element = E>>(a: V, b: V) -> V {
        let (zero, difference) = (V::of(0.0), a - b);
        let nothing = a.if_less(zero, b.if_less(zero, zero, difference), difference);
        let half = zero.if_less(a, zero.if_less(b, V::of(0.5), nothing), nothing);
        difference.if_nan(half, difference.logistic())
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// ln(eᵃ + eᵇ) of each pair of elements, without overflow and with broadcasting. PyTorch: `logaddexp`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Derivatives σ(a − b) and σ(b − a), and 0 where both are
    /// −∞.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let none = f32::NEG_INFINITY;
    /// let (a, b) = (Tensor::from([1e4f32, none, none]), Tensor::from([0.0, 3.0, none]));
    /// assert_eq!(a.logaddexp(&b).to_array(), [1e4, 3.0, none]);
    /// ```
    pub fn logaddexp<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, other, <E::Ops as Arithmetic<E>>::logaddexp)
    }
}
