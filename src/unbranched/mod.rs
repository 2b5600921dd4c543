//! Functions of `f32` in sums, products and quotients alone, without branches and calls, so that many are computed at
//! once. The results are the same for any number of [`Lanes`](crate::kernel::Lanes) that round alike. Here: exponentials,
//! logarithms, sines and the error function, within 2 ulp of the exact values; [`gates`]: what networks make of them.
//!
//! Polynomials and the one quotient of polynomials: the relative error is minimax (Remez's exchange, Lawson's weights)
//! over the interval that is named, and the coefficients are rounded to `f32`.

pub(crate) mod gates;
pub(crate) mod powers;

use crate::kernel::Single;
use std::f64::consts::{FRAC_2_PI, FRAC_2_SQRT_PI, LOG2_E, LOG10_2, LOG10_E, SQRT_2};

/// 1.5·2²³: added to a small number and subtracted again it leaves the nearest whole number.
const ROUND: f64 = 12_582_912.0;
/// ln 2 in two parts, the first with so few bits that its product with a whole exponent is exact.
const LN_2: [f64; 2] = [0.693_359_375, -2.121_944_400_546_905_8e-4];

/// (eʳ − 1 − r)/r² = 1/2! + r/3! + …, from the highest power down, for |r| ≤ ln 2/2.
const EXP_REST: [f64; 5] = [
    1.381_454_1e-3,
    8.368_745_4e-3,
    4.166_839e-2,
    0.166_665_21,
    0.499_999_94,
];

/// 2²³: from here on all numbers are whole, and a sum of this size has no digits behind the point.
const WHOLE: f64 = 8_388_608.0;

/// The nearest whole number; of two, the even one.
#[inline(always)]
pub(crate) fn nearest<V: Single>(x: V) -> V {
    let (size, whole) = (x.abs(), V::of(WHOLE));
    let nearest = ((size + whole) - whole).copysign(x);
    size.if_less(whole, nearest, x)
}

/// The largest whole number that is not above x.
#[inline(always)]
pub(crate) fn floor<V: Single>(x: V) -> V {
    let nearest = nearest(x);
    x.if_less(nearest, nearest - V::of(1.0), nearest)
}

/// Horner's rule, from the highest power down.
#[inline(always)]
fn polynomial<V: Single, const N: usize>(x: V, coefficients: [f64; N]) -> V {
    let mut sum = V::of(coefficients[0]);
    for &coefficient in &coefficients[1..] {
        sum = sum.mul_add(x, V::of(coefficient));
    }
    sum
}

/// x = n·ln 2 + r with a whole n and |r| ≤ ln 2/2, for an x·log₂ e of at most 2²².
#[inline(always)]
fn reduce<V: Single>(x: V) -> (V, V) {
    let n = x.mul_add(V::of(LOG2_E), V::of(ROUND)) - V::of(ROUND);
    let r = n.mul_add(V::of(-LN_2[0]), x);
    (n, n.mul_add(V::of(-LN_2[1]), r))
}

/// eˣ = 2ⁿ·eʳ
#[inline(always)]
pub(crate) fn exp<V: Single>(x: V) -> V {
    // Beyond these it is infinite, or 0.
    exp_of_limited(V::of(89.0).or_smaller(V::of(-104.0).or_larger(x)))
}

#[inline(always)]
fn exp_of_limited<V: Single>(x: V) -> V {
    let (n, r) = reduce(x);
    exp_of_rest(r).times_two_to(n)
}

/// eʳ for |r| ≤ ln 2/2.
#[inline(always)]
fn exp_of_rest<V: Single>(r: V) -> V {
    let one = V::of(1.0);
    polynomial(r, EXP_REST).mul_add(r, one).mul_add(r, one)
}

/// (2ʳ − 1)/r, from the highest power down, for |r| ≤ ½.
const EXP2_SLOPE: [f64; 6] = [
    1.559_508e-4,
    1.340_679_7e-3,
    9.617_709e-3,
    0.055_503_1,
    0.240_226_53,
    std::f64::consts::LN_2,
];

/// 2ˣ = 2ⁿ·2ʳ
#[inline(always)]
pub(crate) fn exp2<V: Single>(x: V) -> V {
    // Beyond these it is infinite, or 0.
    let x = V::of(129.0).or_smaller(V::of(-151.0).or_larger(x));
    let n = (x + V::of(ROUND)) - V::of(ROUND);
    let r = x - n;
    polynomial(r, EXP2_SLOPE)
        .mul_add(r, V::of(1.0))
        .times_two_to(n)
}

/// The largest angles of which [`sin`] and [`cos`] are right.
pub(crate) const ANGLES: f64 = 131_072.0;

/// (sin r/r − 1)/r² in r², from the highest power down, for |r| ≤ 0.8.
const SIN_REST: [f64; 3] = [-1.950_524e-4, 8.332_09e-3, -0.166_666_54];
/// (cos r − 1 + r²/2)/r⁴ in r², likewise.
const COS_REST: [f64; 3] = [2.441_92e-5, -1.388_719_4e-3, 0.041_666_643];

/// sin(x + turned·π/2) for a whole `turned` and angles up to [`ANGLES`]: ± the sine or cosine of x − n·π/2.
#[inline(always)]
fn sine<V: Single>(x: V, turned: f64) -> V {
    let n = x.mul_add(V::of(FRAC_2_PI), V::of(ROUND)) - V::of(ROUND);
    let r = x.minus_quarters(n);
    let square = r * r;
    let sine = polynomial(square, SIN_REST).mul_add(square * r, r);
    let half = V::of(0.5);
    let cosine = polynomial(square, COS_REST).mul_add(square * square, V::of(1.0) - half * square);
    // In which quarter it is: −2 to 2, where both ends are the same.
    let n = n + V::of(turned);
    let quarter = n - V::of(4.0) * ((n * V::of(0.25) + V::of(ROUND)) - V::of(ROUND));
    let odd = (quarter.abs() - V::of(1.0)).abs();
    let size = odd.if_less(half, cosine, sine);
    (quarter - half).abs().if_less(V::of(1.0), size, -size)
}

/// sin x for angles up to [`ANGLES`].
#[inline(always)]
pub(crate) fn sin<V: Single>(x: V) -> V {
    // Near 0 it is x, with its sign.
    x.abs().if_less(V::of(1e-4), x, sine(x, 0.0))
}

/// cos x for angles up to [`ANGLES`].
#[inline(always)]
pub(crate) fn cos<V: Single>(x: V) -> V {
    sine(x, 1.0)
}

/// (tanh x/x − 1)/x² in x², from the highest power down, for |x| ≤ 0.5625.
const TANH_REST: [f64; 5] = [
    -6.179_816e-3,
    2.100_746_4e-2,
    -5.383_743e-2,
    0.133_324_52,
    -0.333_333_14,
];

/// tanh x = 1 − 2/(e²ˣ + 1), and a polynomial where that would cancel.
#[inline(always)]
pub(crate) fn tanh<V: Single>(x: V) -> V {
    let (one, two) = (V::of(1.0), V::of(2.0));
    // From 9.02 on it is 1.
    let size = V::of(10.0).or_smaller(x.abs());
    let (n, r) = reduce(size + size);
    let large = one - two / exp_of_rest(r).mul_add(V::two_to(n), one);
    let square = size * size;
    let small = polynomial(square, TANH_REST).mul_add(square * size, size);
    size.if_less(V::of(0.5625), small, large).copysign(x)
}

/// σ(x) = 1/(1 + e⁻ˣ), from e^−|x|, which never overflows.
#[inline(always)]
pub(crate) fn logistic<V: Single>(x: V) -> V {
    let e = exp_of_limited(V::of(-104.0).or_larger(-x.abs()));
    let one = V::of(1.0);
    let sum = one + e;
    let quotient = x.if_less(V::of(0.0), e, one) / sum;
    // What the sum has lost, to first order.
    quotient.mul_add((sum - one) - e, quotient)
}

/// e⁻ᵗ = (1 + w)·2ⁿ with |w| < ½, for a t in two parts, from 0 to 113: w and n.
#[inline(always)]
fn falling<V: Single>([t, rest]: [V; 2]) -> (V, V) {
    let n = (t * V::of(-LOG2_E) + V::of(ROUND)) - V::of(ROUND);
    let (upper, lower) = (
        n.mul_add(V::of(-LN_2[0]), -t),
        n.mul_add(V::of(-LN_2[1]), -rest),
    );
    let r = upper + lower;
    let lost = (upper - r) + lower;
    (polynomial(r, EXP_REST).mul_add(r * r, lost) + r, n)
}

/// eˣ − 1 = 2ⁿ·(eʳ − 1) + (2ⁿ − 1)
#[inline(always)]
pub(crate) fn exp_m1<V: Single>(x: V) -> V {
    // Below it is −1, above infinite.
    let limited = V::of(89.0).or_smaller(V::of(-30.0).or_larger(x));
    let (n, r) = reduce(limited);
    let (one, half) = (V::of(1.0), V::of(0.5));
    let power = polynomial(r, EXP_REST).mul_add(r, one) * r;
    // Half of it, since the largest 2ⁿ is too large.
    let scale = V::two_to(n - one);
    let sum = power.mul_add(scale, scale - half);
    // Near 0 it is x, which may have too few digits to halve.
    x.abs().if_less(V::of(1e-10), x, sum + sum)
}

/// (ln(1 + f) − f + f²/2)/f³, from the highest power down, for −¼ ≤ f ≤ ½.
const LN_REST: [f64; 8] = [
    -0.045_074_806,
    0.104_630_224,
    -0.131_611_93,
    0.144_783_94,
    -0.166_473_12,
    0.199_908_61,
    -0.250_000_95,
    0.333_334_51,
];

/// n·ln 2 + ln(1 + f) for −¼ ≤ f ≤ ½.
#[inline(always)]
fn ln_of_parts<V: Single>(f: V, n: V) -> V {
    let rest = polynomial(f, LN_REST).mul_add(f, V::of(-0.5));
    let small = rest.mul_add(f * f, n * V::of(LN_2[1])) + f;
    n.mul_add(V::of(LN_2[0]), small)
}

/// `inside` where x lies above the `pole` and is finite; NaN below, −∞ at the pole, x where that is ∞ or NaN.
#[inline(always)]
fn above_pole<V: Single>(x: V, pole: f64, inside: V) -> V {
    let (pole, infinity) = (V::of(pole), V::of(f64::INFINITY));
    let from_pole = pole.if_less(x, inside, -infinity);
    let everywhere = x.if_less(pole, V::of(f64::NAN), from_pole);
    x.if_less(infinity, everywhere, x)
}

/// ln x = n·ln 2 + ln m, where x = m·2ⁿ.
#[inline(always)]
pub(crate) fn ln<V: Single>(x: V) -> V {
    let (m, n) = x.split();
    above_pole(x, 0.0, ln_of_parts(m - V::of(1.0), n))
}

/// ln(1 + x) = n·ln 2 + ln(1 + f), where 1 + x = (1 + f)·2ⁿ.
#[inline(always)]
pub(crate) fn ln_1p<V: Single>(x: V) -> V {
    let one = V::of(1.0);
    let sum = one + x;
    // What the sum has lost (Knuth's two-sum).
    let added = sum - one;
    let lost = (one - (sum - added)) + (x - added);
    let (m, n) = sum.split();
    let f = lost.mul_add(V::two_to(V::of(-126.0).or_larger(-n)), m - one);
    above_pole(x, -1.0, ln_of_parts(f, n)).copysign(x)
}

/// log x to the base whose logarithms of e and of 2 are given, each in two parts; the first one of 2 times a whole
/// exponent is exact.
#[inline(always)]
fn logarithm<V: Single>(x: V, of_e: [f64; 2], of_2: [f64; 2]) -> V {
    let (m, n) = x.split();
    let f = m - V::of(1.0);
    let [product, lost] = f.product_parts(V::of(of_e[0]));
    // What ln(1 + f) has besides f.
    let rest = polynomial(f, LN_REST).mul_add(f, V::of(-0.5)) * (f * f);
    let small = rest.mul_add(V::of(of_e[0]), f.mul_add(V::of(of_e[1]), lost));
    // The large parts may cancel, and do so exactly.
    let large = n.mul_add(V::of(of_2[0]), product);
    above_pole(x, 0.0, large + n.mul_add(V::of(of_2[1]), small))
}

/// `value` as the sum of two `f32`.
const fn in_two(value: f64) -> [f64; 2] {
    let first = value as f32 as f64;
    [first, value - first]
}

/// log₂ x
#[inline(always)]
pub(crate) fn log2<V: Single>(x: V) -> V {
    logarithm(x, in_two(LOG2_E), [1.0, 0.0])
}

/// log₁₀ x
#[inline(always)]
pub(crate) fn log10<V: Single>(x: V) -> V {
    /// The first with twelve bits.
    const LOG10_2_PARTS: [f64; 2] = [1233.0 / 4096.0, LOG10_2 - 1233.0 / 4096.0];
    logarithm(x, in_two(LOG10_E), LOG10_2_PARTS)
}

/// (ln(1 + e)/e − 1)/e, from the highest power down, for 0 ≤ e ≤ 1.
const LN_1P_REST: [f64; 10] = [
    2.072_951_5e-3,
    -0.013_631_499,
    0.041_981_403,
    -0.083_074_115,
    0.124_671_26,
    -0.161_293_37,
    0.198_979_32,
    -0.249_885_8,
    0.333_326_9,
    -0.499_999_88,
];

/// ln(1 + e) for 0 ≤ e ≤ 1.
#[inline(always)]
fn ln_1p_of_fraction<V: Single>(e: V) -> V {
    polynomial(e, LN_1P_REST).mul_add(e * e, e)
}

/// erf x/x − 1 in x², from the highest power down, for x² ≤ ½.
const ERF_REST: [f64; 6] = [
    -6.927_799e-4,
    5.135_806_7e-3,
    -0.026_843_583,
    0.112_835_27,
    -0.376_126_3,
    0.128_379_17,
];

/// erf x, from the tail of the normal distribution, and a polynomial where that would cancel.
#[inline(always)]
pub(crate) fn erf<V: Single>(x: V) -> V {
    let size = x.abs();
    let small = polynomial(size * size, ERF_REST).mul_add(size, size);
    let large = V::of(1.0) - rest_of_erf(size);
    size.if_less(V::of(0.7), small, large).copysign(x)
}

/// 1 − erf x for x ≥ 0.7: with t = √2·x twice the tail of the normal distribution. (Good to 4 ulp.)
#[inline(always)]
fn rest_of_erf<V: Single>(x: V) -> V {
    // From here on it is 0.
    let x = V::of(10.0).or_smaller(x);
    let (w, n) = falling(x.product_parts(x));
    let t = x * V::of(SQRT_2);
    let [above, _, below] = tail(t);
    let share = above / below;
    (w.mul_add(share, share) * V::of(2.0)).times_two_to(n)
}

/// The tail of the normal distribution is 1 − Φ(x) = e^(−x²/2)/(√(2π)·x + r(x)), where r falls from 2 towards 0: it is
/// `dividend`/`divisor`, and so the tail is `divisor`/`below` times the exponential. These three.
#[inline(always)]
fn tail<V: Single>(x: V) -> [V; 3] {
    let (divisor, dividend) = (polynomial(x, TAIL_DIVISOR), polynomial(x, TAIL_DIVIDEND));
    let below = (x * divisor).mul_add(V::of(TAIL_SLOPE), dividend);
    [divisor, dividend, below]
}

/// √(2π)
const TAIL_SLOPE: f64 = 2.0 * SQRT_2 / FRAC_2_SQRT_PI;
/// From the highest power down, for 0 ≤ x ≤ 14.7: the relative error that r makes in the tail is minimax.
const TAIL_DIVIDEND: [f64; 5] = [6.285_553_3e-3, 0.075_055_82, 0.417_368_95, 1.262_384_7, 2.0];
/// As above.
const TAIL_DIVISOR: [f64; 6] = [
    2.507_333e-3,
    0.029_955_067,
    0.171_254_35,
    0.566_943_7,
    1.086_622,
    1.0,
];
