//! Normal random numbers, by the method of Box and Muller (1958).
//!
//! In sums, products, quotients and square roots of `f64` alone, which every platform rounds alike, and without
//! branches, so that many are computed at once.

use super::wide::widest;
use crate::element::Element;
use std::f64::consts::{FRAC_PI_2, LN_2};

/// So many pairs are made at once.
pub(crate) const PAIRS: usize = 64;

widest! {
    /// Normal numbers of a mean and a standard deviation, two from each pair of random words: from one word how far a
    /// point in the plane is from the origin, from the other in which direction.
    pub(crate) fn normals<E>(distances: &[u64; PAIRS], directions: &[u64; PAIRS], mean: E, std: E, out: &mut [E]) = points;
}

#[inline(always)]
fn points<E: Element>(
    distances: &[u64; PAIRS],
    directions: &[u64; PAIRS],
    mean: E,
    std: E,
    out: &mut [E],
) {
    let mut points = [[E::zero(); 2]; PAIRS];
    for ((point, &distance), &direction) in points.iter_mut().zip(distances).zip(directions) {
        // 1 − u lies in (0, 1], so its logarithm is finite.
        let distance = (-2.0 * ln(1.0 - f64::unit(distance))).sqrt();
        let (sin, cos) = direction_of(f64::unit(direction));
        *point = [
            mean + std * E::of(distance * cos),
            mean + std * E::of(distance * sin),
        ];
    }
    out.copy_from_slice(&points.as_flattened()[..out.len()]);
}

/// Horner's rule, from the highest power down.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = sum * x + coefficient;
    }
    sum
}

/// ln x for a normal number above 0: x = m·2ⁿ with √½ ≤ m < √2, and ln m = 2·artanh s = 2·(s + s³/3 + s⁵/5 + …) for
/// s = (m − 1)/(m + 1), whose square is at most 0.0295.
#[inline(always)]
fn ln(x: f64) -> f64 {
    const ARTANH: [f64; 11] = [
        2.0 / 21.0,
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
        2.0,
    ];
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    const ROOT_OF_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    /// 2⁵²: in numbers from there on the last bits are a whole number.
    const WHOLE: f64 = (1u64 << MANTISSA) as f64;
    /// Added to exponents, so that they are not negative.
    const LIFT: u64 = 1024;
    let bits = x.to_bits() + (LIFT << MANTISSA) - ROOT_OF_HALF;
    let n = f64::from_bits(WHOLE.to_bits() | bits >> MANTISSA) - (WHOLE + LIFT as f64);
    let m = f64::from_bits((bits & ((1 << MANTISSA) - 1)) + ROOT_OF_HALF);
    let s = (m - 1.0) / (m + 1.0);
    n * LN_2 + s * polynomial(s * s, ARTANH)
}

/// The sine and the cosine of so many turns, from 0 to 1: those of at most an eighth of a turn by their series, on the
/// axis that is nearest.
#[inline(always)]
fn direction_of(turns: f64) -> (f64, f64) {
    const SIN: [f64; 8] = [
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
        1.0,
    ];
    const COS: [f64; 9] = [
        1.0 / 20_922_789_888_000.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
        -0.5,
        1.0,
    ];
    /// 1.5·2⁵²: added to a small number it leaves the nearest whole number in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let quarters = turns * 4.0;
    let lifted = quarters + ROUND;
    let x = (quarters - (lifted - ROUND)) * FRAC_PI_2;
    let square = x * x;
    let (sin, cos) = (x * polynomial(square, SIN), polynomial(square, COS));
    // A quarter of a turn makes (cos, sin) to (−sin, cos).
    let quarter = lifted.to_bits();
    let (sin, cos) = if quarter & 1 == 0 {
        (sin, cos)
    } else {
        (cos, sin)
    };
    let negative = |bit: u64| (bit >> 1 & 1) << 63;
    (
        f64::from_bits(sin.to_bits() ^ negative(quarter)),
        f64::from_bits(cos.to_bits() ^ negative(quarter + 1)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words at the ends, around each eighth of a turn, and between.
    fn words() -> impl Iterator<Item = u64> {
        let near = (0..16u64).flat_map(|i| {
            let middle = i << 60;
            [-4096i64, -2048, 0, 2048, 4096].map(|step| middle.wrapping_add_signed(step))
        });
        near.chain((0..100_000).map(|i| i * 0x0000_9e37_79b9_7f4a))
    }

    #[test]
    fn logarithms_and_directions_are_exact_to_a_few_units_in_the_last_place() {
        for word in words() {
            let u = f64::unit(word);
            let right = libm::log(1.0 - u);
            assert!((ln(1.0 - u) - right).abs() <= 4.0 * f64::EPSILON * right.abs());
            let (sin, cos) = direction_of(u);
            let (right_sin, right_cos) = libm::sincos(std::f64::consts::TAU * u);
            let bound = 8.0 * f64::EPSILON;
            assert!(
                (sin - right_sin).abs() <= bound && (cos - right_cos).abs() <= bound,
                "{u}"
            );
        }
    }
}
