//! eˣ, tanh x and σ(x) of `f32` in sums and products alone, without branches and calls, so that a loop over many
//! numbers is compiled for vectors. Each is the same on every processor, and within 2 ulp of the exact value.
//!
//! Coefficients: S. L. Moshier, Cephes Mathematical Library, `expf` and `tanhf`.

use std::f32::consts::LOG2_E;

/// 1.5·2²³: added to a small number it leaves the nearest whole number in the last bits.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts, the first with so few bits that its product with a whole exponent is exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// eˣ = 2ⁿ·eʳ with a whole n and |r| ≤ ln 2/2.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Beyond these it is infinite, or 0.
    let x = x.clamp(-104.0, 89.0);
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let exponent = shifted.to_bits() as i32 - ROUND.to_bits() as i32;
    // r, and what it lacks.
    let (high, low) = (x - n * LN_2[0], n * LN_2[1]);
    let r = high - low;
    let rest = (high - r) - low;
    let mut p = 1.987_569_1e-4;
    for coefficient in [
        1.398_2e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        5e-1,
    ] {
        p = p * r + coefficient;
    }
    let power = ((p * r) * r + rest) + r + 1.0;
    // In two steps, since 2ⁿ itself may be too large, or too small for the last digits.
    let half = exponent >> 1;
    let two_to = |n: i32| f32::from_bits(((n + 127) << 23) as u32);
    power * two_to(half) * two_to(exponent - half)
}

/// tanh x = 1 − 2/(e²ˣ + 1), and x times a polynomial in x² where that would cancel.
#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    let (size, square) = (x.abs(), x * x);
    let large = 1.0 - 2.0 / (exp(size + size) + 1.0);
    let mut p = -5.704_988_7e-3;
    for coefficient in [
        2.063_908_8e-2,
        -5.373_971_6e-2,
        1.333_144_2e-1,
        -3.333_328e-1,
    ] {
        p = p * square + coefficient;
    }
    let small = p * square * x + x;
    let value = if size < 0.625 { small } else { large };
    value.copysign(x)
}

/// σ(x) = 1/(1 + e⁻ˣ), from e^−|x|, which never overflows. The last two steps are taken in `f64`, so that only the
/// error of the exponential counts.
#[inline(always)]
pub(crate) fn logistic(x: f32) -> f32 {
    let e = f64::from(exp(-x.abs()));
    let part = if x < 0.0 { e } else { 1.0 };
    (part / (1.0 + e)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_neighbours_of_zero() {
        let infinite = f32::INFINITY;
        assert_eq!(
            [exp(0.0), exp(-0.0), exp(-infinite), exp(infinite)],
            [1.0, 1.0, 0.0, infinite]
        );
        assert_eq!([exp(88.7), exp(88.8)].map(f32::is_finite), [true, false]);
        assert_eq!([exp(-103.0), exp(-104.1)].map(|y| y > 0.0), [true, false]);
        assert_eq!(
            [tanh(-infinite), tanh(infinite), tanh(1e-30)],
            [-1.0, 1.0, 1e-30]
        );
        assert!(tanh(-0.0).is_sign_negative());
        assert_eq!(
            [logistic(-infinite), logistic(0.0), logistic(infinite)],
            [0.0, 0.5, 1.0]
        );
        assert!([exp, tanh, logistic].iter().all(|f| f(f32::NAN).is_nan()));
    }
}
