//! Functions that let through what is large and hold back what is small, and their slopes.
//!
//! Where they hold back, x is multiplied by 1 + w before that by 2ⁿ, so that a result which is too small for all digits is
//! rounded but once; and there x is limited, so that nothing is ∞·0.
//!
//! The largest errors among a million numbers of all sizes: softplus 1.7 ulp, GELU 1.9, its tanh form 2.1, SiLU 2.2, mish
//! 2.7 (`tests/accuracy.rs`). Slopes are sums that may cancel, and as good as those.

use super::{TAIL_SLOPE, exp_of_limited, falling, in_two, ln_1p_of_fraction, polynomial, tail};
use crate::kernel::Single;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// From here on the tail of the normal distribution times x is 0.
const TAIL_END: f64 = 14.6;

/// e^(−x²/2) = (1 + w)·2ⁿ: w and n.
#[inline(always)]
fn bell<V: Single>(x: V) -> (V, V) {
    let half = V::of(0.5);
    let [square, rest] = x.product_parts(x);
    falling([square * half, rest * half])
}

/// x where it is not negative, and 0 elsewhere; NaN stays.
#[inline(always)]
fn positive_part<V: Single>(x: V) -> V {
    let zero = V::of(0.0);
    x.if_less(zero, zero, x)
}

/// (Φ(x) − ½)/x in x², from the highest power down, for |x| ≤ 0.7.
const CENTRE: [f64; 5] = [
    1.030_17e-4,
    -1.181_092_8e-3,
    9.972_156e-3,
    -0.066_490_25,
    0.398_942_26,
];

/// x·Φ(x) = max(x, 0) − |x|·(1 − Φ(|x|)), and near 0 x/2 + x²·(Φ(x) − ½)/x.
#[inline(always)]
pub(crate) fn gelu<V: Single>(x: V) -> V {
    let one = V::of(1.0);
    let size = V::of(TAIL_END).or_smaller(x.abs());
    let (w, n) = bell(size);
    let [divisor, dividend, below] = tail(size);
    // (1 + w)·above/below in one rounding: the quotient, and what it lacks.
    let (above, inverse) = (size * divisor, one / below);
    let share = above * inverse;
    let lack = above * one.residue(share, V::of(TAIL_SLOPE)) - share * dividend;
    let held = share + w.mul_add(share, lack * inverse);
    let outer = positive_part(x) - held.times_two_to(n);

    let square = size * size;
    let inner = polynomial(square, CENTRE).mul_add(square, x * V::of(0.5));
    size.if_less(V::of(0.7), inner.copysign(x), outer)
}

/// Φ(x) + x·φ(x), which at −x is 1 less that at x.
#[inline(always)]
pub(crate) fn gelu_slope<V: Single>(x: V) -> V {
    let size = V::of(TAIL_END).or_smaller(x.abs());
    let (w, n) = bell(size);
    let [above, _, below] = tail(size);
    let tail = size.mul_add(V::of(-1.0 / TAIL_SLOPE), above / below);
    let slope = w.mul_add(tail, tail).times_two_to(n);
    x.if_less(V::of(0.0), slope, V::of(1.0) - slope)
}

/// x·σ(x)
#[inline(always)]
pub(crate) fn silu<V: Single>(x: V) -> V {
    let size = V::of(110.0).or_smaller(x.abs());
    gated(x, size, falling([size, V::of(0.0)]))
}

/// x/(1 + e⁻ᵘ), given e^−|u| = (1 + w)·2ⁿ: where x is negative, x·e^−|u|/(1 + e^−|u|).
#[inline(always)]
fn gated<V: Single>(x: V, size: V, (w, n): (V, V)) -> V {
    let one = V::of(1.0);
    let held = w.mul_add(size, size).times_two_to(n);
    x.if_less(V::of(0.0), -held, x) / (one + (one + w).times_two_to(n))
}

/// σ(x) + x·σ(x)·σ(−x)
#[inline(always)]
pub(crate) fn silu_slope<V: Single>(x: V) -> V {
    let size = V::of(110.0).or_smaller(x.abs());
    gated_slope(x, size, falling([size, V::of(0.0)]))
}

/// σ(u) + v·σ(u)·σ(−u) for u and v of x's sign, given |v| and e^−|u|.
#[inline(always)]
fn gated_slope<V: Single>(x: V, v: V, (w, n): (V, V)) -> V {
    let (zero, one) = (V::of(0.0), V::of(1.0));
    let e = (one + w).times_two_to(n);
    let share = one / (one + e);
    let moved = v.copysign(x) * e * share;
    (x.if_less(zero, e, one) + moved) * share
}

/// The cubic coefficient of GELU's tanh form.
pub(crate) const CUBIC: f64 = 0.044715;
/// 2·√(2/π): the double, because (1 + tanh u)/2 = σ(2u).
pub(crate) const DOUBLE_SCALE: f64 = 2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// e^−u with u = 2·√(2/π)·x·(1 + 0.044715·x²), for 0 ≤ x ≤ 11. As u is large, its digits below those of an `f32` count.
#[inline(always)]
fn falling_cubic<V: Single>(x: V) -> (V, V) {
    const LINEAR: [f64; 2] = in_two(DOUBLE_SCALE);
    const SQUARE: [f64; 2] = in_two(DOUBLE_SCALE * CUBIC);
    let [square, square_rest] = x.product_parts(x);
    let [term, term_rest] = square.product_parts(V::of(SQUARE[0]));
    let [slope, slope_rest] = V::of(LINEAR[0]).sum_parts(term);
    let small = square.mul_add(
        V::of(SQUARE[1]),
        square_rest.mul_add(V::of(SQUARE[0]), term_rest),
    );
    let [u, rest] = x.product_parts(slope);
    falling([u, x.mul_add(slope_rest + (small + V::of(LINEAR[1])), rest)])
}

/// x·(1 + tanh u)/2 = x·σ(2u), where u = √(2/π)·(x + 0.044715·x³).
#[inline(always)]
pub(crate) fn gelu_tanh<V: Single>(x: V) -> V {
    let size = V::of(11.0).or_smaller(x.abs());
    gated(x, size, falling_cubic(size))
}

/// σ(2u) + x·2u′·σ(2u)·σ(−2u), with u as above.
#[inline(always)]
pub(crate) fn gelu_tanh_slope<V: Single>(x: V) -> V {
    let size = V::of(11.0).or_smaller(x.abs());
    let inner = (size * size).mul_add(V::of(3.0 * DOUBLE_SCALE * CUBIC), V::of(DOUBLE_SCALE));
    gated_slope(x, size * inner, falling_cubic(size))
}

/// ln(1 + eˣ) = max(x, 0) + ln(1 + e^−|x|)
#[inline(always)]
pub(crate) fn softplus<V: Single>(x: V) -> V {
    positive_part(x) + ln_1p_of_fraction(exp_of_limited(V::of(-104.0).or_larger(-x.abs())))
}

/// tanh(ln(1 + eˣ)) = a/b for positive x, e·a/b for negative, where e = e^−|x|.
#[inline(always)]
fn mish_gate<V: Single>(x: V, e: V) -> [V; 2] {
    let (zero, one, two) = (V::of(0.0), V::of(1.0), V::of(2.0));
    let above = x.if_less(zero, e + two, e.mul_add(two, one));
    let below = x.if_less(zero, e.mul_add(above, two), (e * e).mul_add(two, above));
    [above, below]
}

/// x·tanh(ln(1 + eˣ))
#[inline(always)]
pub(crate) fn mish<V: Single>(x: V) -> V {
    let size = V::of(110.0).or_smaller(x.abs());
    let (w, n) = falling([size, V::of(0.0)]);
    let [above, below] = mish_gate(x, (V::of(1.0) + w).times_two_to(n));
    let gate = above / below;
    let held = (w.mul_add(size, size) * gate).times_two_to(n);
    x.if_less(V::of(0.0), -held, x * gate)
}

/// t + x·σ(x)·(1 − t²), where t = tanh(ln(1 + eˣ)).
#[inline(always)]
pub(crate) fn mish_slope<V: Single>(x: V) -> V {
    let (zero, one, four) = (V::of(0.0), V::of(1.0), V::of(4.0));
    let size = V::of(110.0).or_smaller(x.abs());
    let (w, n) = falling([size, zero]);
    let e = (one + w).times_two_to(n);
    let [above, below] = mish_gate(x, e);
    let share = one / below;
    let gate = x.if_less(zero, e * above, above);
    let moved = x.if_less(zero, e, e * e) * (one + e) * share * four;
    (size.copysign(x)).mul_add(moved, gate) * share
}
