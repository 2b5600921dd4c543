//! Powers with one exponent: many have a cheaper way than the power of two numbers.

use super::map::{GROUP, Map, MapWith};
use super::wide::widest;
use super::zip::Paired;
use crate::element::Element;

/// An exponent.
#[derive(Clone, Copy)]
pub(crate) enum Exponent<E> {
    /// By products, at most two for each bit.
    Whole(i64),
    /// By the root.
    Half,
    /// By the power of two numbers.
    Real(E),
}

impl<E: Element> Exponent<E> {
    /// The cheapest way that is as good as the power of two numbers.
    pub(crate) fn of(exponent: E) -> Self {
        match exponent.plain() {
            Some(p) if p == -1.0 || (0.0..=4.0).contains(&p) && p.fract() == 0.0 => {
                Exponent::Whole(p as i64)
            }
            Some(0.5) => Exponent::Half,
            _ => Exponent::Real(exponent),
        }
    }
}

/// x to one power.
pub(crate) struct Raise<E: 'static> {
    pub(crate) exponent: Exponent<E>,
    /// The power of two numbers.
    pub(crate) power: Paired<E>,
}

impl<E: Element> Raise<E> {
    /// Raises the values, of which there are no more than [`GROUP`].
    fn raise(&self, values: &mut [E]) {
        match self.exponent {
            Exponent::Whole(n) => raise_to_whole(values, n),
            Exponent::Half => raise_to_half(values),
            Exponent::Real(exponent) => self.power.update_by(values, exponent),
        }
    }
}

widest! {
    /// Raises the values, of which there are no more than [`GROUP`], by squaring: xᵏ for k = 1, 2, 4 and so on, where
    /// the exponent has the bit, make up the power.
    fn raise_to_whole<E>(values: &mut [E], n: i64) = raise_to_whole_in;
    /// Replaces each value by its root.
    fn raise_to_half<E>(values: &mut [E]) = raise_to_half_in;
}

#[inline(always)]
fn raise_to_whole_in<E: Element>(values: &mut [E], n: i64) {
    if n == 0 {
        return values.fill(E::one());
    }
    let mut bits = n.unsigned_abs();
    while bits & 1 == 0 {
        square(values);
        bits >>= 1;
    }
    if bits > 1 {
        let mut squares = [E::zero(); GROUP];
        let squares = &mut squares[..values.len()];
        squares.copy_from_slice(values);
        while bits > 1 {
            square(squares);
            bits >>= 1;
            if bits & 1 == 1 {
                for (value, &square) in values.iter_mut().zip(&*squares) {
                    *value *= square;
                }
            }
        }
    }
    if n < 0 {
        for value in values {
            *value = value.recip();
        }
    }
}

#[inline(always)]
fn square<E: Element>(values: &mut [E]) {
    for value in values {
        *value *= *value;
    }
}

#[inline(always)]
fn raise_to_half_in<E: Element>(values: &mut [E]) {
    for value in values {
        // The root of −0 is −0, and −∞ has none; their powers are 0 and ∞.
        let root = (*value + E::zero()).sqrt();
        *value = if *value == E::neg_infinity() {
            E::infinity()
        } else {
            root
        };
    }
}

impl<E: Element> Map<E> for Raise<E> {
    fn update(&self, values: &mut [E]) {
        for values in values.chunks_mut(GROUP) {
            self.raise(values);
        }
    }
    fn write(&self, x: &[E], out: &mut [E]) {
        for (x, out) in x.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
            out.copy_from_slice(&x[..out.len()]);
            self.raise(out);
        }
    }
}

/// The slope of a power: a number times x to the power below; 0 where the number is.
pub(crate) struct Steepness<E: 'static> {
    pub(crate) factor: E,
    pub(crate) below: Raise<E>,
}

impl<E: Element> MapWith<E> for Steepness<E> {
    fn update(&self, values: &mut [E], partners: &[E]) {
        if self.factor == E::zero() {
            return values.fill(E::zero());
        }
        let mut powers = [E::zero(); GROUP];
        for (values, partners) in values.chunks_mut(GROUP).zip(partners.chunks(GROUP)) {
            let powers = &mut powers[..values.len()];
            self.below.write(partners, powers);
            for (value, &power) in values.iter_mut().zip(&*powers) {
                *value = *value * self.factor * power;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::element::Element;
    use crate::kernel::wide::tests::{at_each_level, ulps};
    use crate::{Tensor, shape};

    const MANY: usize = 9973;
    type Block<E> = Tensor<1, shape![MANY], E>;

    fn numbers_by<E: Element>(number: impl Fn(usize) -> E) -> Block<E> {
        Tensor::from_vec((0..MANY).map(number).collect()).unwrap()
    }

    #[test]
    fn powers_of_all_sizes() {
        // The logarithms of the powers are spread evenly from where they vanish to where they overflow.
        let share = |i: usize, step: f64| (i as f64 * step).fract();
        let base = |i: usize| f32::from_bits((share(i, 0.618_034) * 2_139_095_039.0) as u32 + 1);
        let exponent = |i: usize| {
            let log = f64::from(base(i)).log2();
            ((share(i, 0.414_214) * 280.0 - 150.0) / log).clamp(-3e38, 3e38) as f32
        };
        // All bases; those near 1; those of few digits.
        let families: [&dyn Fn(usize) -> f32; 3] = [
            &base,
            &|i| 1.0 + (share(i, 0.732_051) as f32 - 0.5) * 0.7,
            &|i| (i % 40) as f32 * 0.125,
        ];
        for bases in families {
            let a: Block<f32> = numbers_by(bases);
            let b: Block<f32> = numbers_by(|i| {
                let exponent = exponent(i);
                if i % 3 == 0 {
                    exponent.round()
                } else {
                    exponent
                }
            });
            at_each_level(|level| {
                let powers = a.pow(&b);
                for ((a, b), power) in a.iter().zip(&b).zip(&powers) {
                    let error = ulps(power, f64::from(a).powf(b.into()));
                    assert!(
                        error <= 2.0,
                        "{level:?}: {a:e} to the power of {b:e}: {error} ulp"
                    );
                }
            });
        }
    }

    #[test]
    fn steep_powers_of_numbers_below_three_quarters() {
        // Here the logarithm's whole part cancels most, and its error counts three hundred times.
        at_each_level(|level| {
            let (a, b) = (0.749_168_6f32, -295.212_92f32);
            let found = Tensor::from([a]).pow(&Tensor::from([b])).to_array()[0];
            let error = ulps(found, f64::from(a).powf(b.into()));
            assert!(error <= 2.0, "{level:?}: {error} ulp");
        });
    }

    #[test]
    fn powers_at_the_ends_are_those_of_ieee_754() {
        let (top, nan, tiny) = (f32::INFINITY, f32::NAN, f32::from_bits(1));
        let below_one = 1.0 - f32::EPSILON / 2.0;
        let sizes = [
            0.0,
            tiny,
            1e-30,
            0.5,
            below_one,
            1.0,
            1.5,
            2.0,
            3.0,
            4.0,
            7.0,
            1e10,
            8_388_607.0,
            8_388_607.5,
            16_777_215.0,
            16_777_216.0,
            33_554_434.0,
            3e38,
            top,
        ];
        let mut numbers = vec![nan];
        numbers.extend(sizes.iter().flat_map(|&size| [size, -size]));
        type Numbers = Tensor<1, shape![39]>;
        let x = Numbers::from_slice(&numbers).unwrap();
        let check = |what: &str, x: f32, y: f32, found: f32| {
            let right = x.powf(y);
            let same = found == right && found.is_sign_negative() == right.is_sign_negative();
            let near = ulps(found, f64::from(x).powf(y.into())) <= 2.0 && right != 0.0;
            assert!(
                same || near || found.is_nan() && right.is_nan(),
                "{what}: {x:e} to the power of {y:e}: {found:e}, not {right:e}"
            );
        };
        at_each_level(|level| {
            for &y in &numbers {
                for (x, found) in x.iter().zip(&x.powf(y)) {
                    check(&format!("{level:?}, one exponent"), x, y, found);
                }
                for (x, found) in x.iter().zip(&x.pow(&Tensor::scalar(y))) {
                    check(&format!("{level:?}"), x, y, found);
                }
                for (x, found) in x.iter().zip(&Tensor::scalar(y).pow(&x)) {
                    check(&format!("{level:?}, one base"), y, x, found);
                }
            }
        });
    }

    #[test]
    fn whole_powers_are_products() {
        let x: Block<f64> = numbers_by(|i| 1.0 + i as f64 / MANY as f64);
        for n in [0, 1, 2, 3, 7, 12, -1, -2, -5] {
            for (x, power) in x.iter().zip(&x.powi(n)) {
                let right = x.powi(n);
                assert!(
                    (power / right - 1.0).abs() < 1e-15,
                    "{x} to the power of {n}"
                );
            }
        }
        let ends = Tensor::from([1.0f32, -1.0, 0.5, 2.0, 0.0]).powi(i32::MIN);
        assert_eq!(
            ends.to_array(),
            [1.0, 1.0, f32::INFINITY, 0.0, f32::INFINITY]
        );
    }
}
