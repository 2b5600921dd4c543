//! Each folding against a plain loop, at sizes that meet every way through.

use super::*;
use crate::Rng;
use rand_core::Rng as _;

/// Short lines, long ones, several pieces; narrow, wide and very wide matrices; one row, rests of rows, nothing.
const SIZES: [(usize, usize, usize); 18] = [
    (5, 1, 1),
    (3, 10, 1),
    (2, 63, 1),
    (4, 64, 1),
    (3, 1000, 1),
    (1, 100_003, 1),
    (7, 5, 3),
    (2, 700, 3),
    (1, 40_001, 10),
    (2, 9, 63),
    (3, 37, 64),
    (2, 300, 65),
    (1, 1100, 200),
    (2, 3, 2500),
    (1, 1, 1030),
    (4, 0, 3),
    (0, 5, 2),
    (2, 3, 0),
];

fn each(mut test: impl FnMut(Split, Vec<f32>, &dyn Fn(usize, usize) -> usize)) {
    let rng = &mut Rng::seed(3);
    for (outer, len, inner) in SIZES {
        let split = Split { outer, len, inner };
        // Few different numbers, so that many are equal.
        let x = (0..outer * len * inner)
            .map(|_| (rng.next_u32() % 1999) as f32 - 999.0)
            .collect();
        test(split, x, &|line, l| {
            (line / inner * len + l) * inner + line % inner
        });
    }
}

#[test]
fn extremes_and_where_they_first_stand() {
    each(|split, mut x, place| {
        if split.len == 0 {
            return;
        }
        let check = |x: &[f32]| {
            for wanted in [Wanted::Largest, Wanted::Smallest] {
                let (values, at) = extreme_and_place(x, split, wanted);
                let alone = extreme(x, split, wanted);
                for line in 0..split.outer * split.inner {
                    let mut best = 0;
                    for l in 1..split.len {
                        let (a, b) = (x[place(line, best)], x[place(line, l)]);
                        let better = if wanted == Wanted::Largest {
                            b > a
                        } else {
                            b < a
                        };
                        if better || b.is_nan() && !a.is_nan() {
                            best = l;
                        }
                    }
                    assert_eq!(at[line], best, "{split:?} {wanted:?} line {line}");
                    let right = x[place(line, best)];
                    assert_eq!(values[line].to_bits(), right.to_bits());
                    assert!(alone[line] == right || alone[line].is_nan() && right.is_nan());
                }
            }
        };
        check(&x);
        // Zeros of both signs, infinities, and a few NaN.
        for (i, x) in x.iter_mut().enumerate() {
            *x = match i * 7 % 11 {
                0..4 => 0.0,
                4..7 => -0.0,
                _ => f32::NEG_INFINITY,
            };
        }
        check(&x);
        x.fill(f32::INFINITY);
        check(&x);
        x.fill(f32::NEG_INFINITY);
        check(&x);
        for x in x.iter_mut().skip(13).step_by(501) {
            *x = f32::NAN;
        }
        check(&x);
    });
}

#[test]
fn one_extreme_of_many_pieces() {
    let mut x = crate::Tensor::<1, crate::shape![1_048_576]>::randn(&mut Rng::seed(0)).to_vec();
    for place in [0, 5, 32_768, 700_001, (1 << 20) - 1] {
        x[place] += 100.0;
        let split = Split {
            outer: 1,
            len: x.len(),
            inner: 1,
        };
        let (values, at) = extreme_and_place(&x, split, Wanted::Largest);
        assert_eq!((values[0], at[0]), (x[place], place));
        x[place] -= 100.0;
    }
}

#[test]
fn moments_of_every_line() {
    each(|split, x, place| {
        for offset in [0.0, 1e6] {
            let x: Vec<f32> = x.iter().map(|x| (x / 100.0).round() + offset).collect();
            let (shift, squares) = moments(&x, split);
            for line in 0..split.outer * split.inner {
                let values = || (0..split.len).map(|l| f64::from(x[place(line, l)]));
                let mean = values().sum::<f64>() / split.len as f64;
                let right = values().map(|x| (x - mean) * (x - mean)).sum::<f64>();
                let near = |found: f32, right: f64| {
                    (f64::from(found) - right).abs() <= 2e-6 * right.abs() + 1e-5
                };
                assert!(
                    near(squares[line], right),
                    "{split:?}: {} {right}",
                    squares[line]
                );
                if split.len > 0 {
                    let first = f64::from(x[place(line, 0)]);
                    assert!(
                        near(shift[line], mean - first),
                        "{split:?}: {} {mean} - {first}",
                        shift[line]
                    );
                }
            }
        }
        let (_, squares) = moments(&vec![0.1f32; x.len()], split);
        assert!(squares.iter().all(|&s| s == 0.0), "{split:?}");
    });
}

#[test]
fn products_of_every_line() {
    each(|split, x, place| {
        let x: Vec<f64> = x
            .iter()
            .map(|x| {
                if *x < -600.0 {
                    -1.0
                } else {
                    1.0 + f64::from(*x) * 1e-7
                }
            })
            .collect();
        let products = product(&x, split);
        for line in 0..split.outer * split.inner {
            let right: f64 = (0..split.len).map(|l| x[place(line, l)]).product();
            assert!(
                (products[line] - right).abs() < 1e-9,
                "{split:?}: {} {right}",
                products[line]
            );
        }
    });
}
