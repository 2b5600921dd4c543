//! eˣ, tanh x and σ(x) of `f32` in sums and products alone, without branches and calls, so that many are computed at
//! once. Each is within 2 ulp of the exact value, and the same for any number of [`Lanes`](crate::kernel::Lanes) that
//! round alike.
//!
//! Polynomials: the relative error is minimax (Remez's exchange) over the interval that is named, and the coefficients
//! are rounded to `f32`.

use crate::kernel::Single;
use std::f64::consts::LOG2_E;

/// 1.5·2²³: added to a small number and subtracted again it leaves the nearest whole number.
const ROUND: f64 = 12_582_912.0;
/// ln 2 in two parts, the first with so few bits that its product with a whole exponent is exact.
const LN_2: [f64; 2] = [0.693_359_375, -2.121_944_400_546_905_8e-4];

/// (eʳ − 1 − r)/r² = 1/2! + r/3! + …, from the highest power down, for |r| ≤ ln 2/2.
const EXP_REST: [f64; 5] = [
    1.388_251_6e-3,
    8.366_547_1e-3,
    4.166_720_1e-2,
    0.166_665_434,
    0.499_999_981,
];

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
