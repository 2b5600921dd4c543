//! Products on every kind of processor that this one can be, against sums in `f64`.

use super::tile::Kernels;
use super::{Number, Operand, Size, compute, product};

/// Random numbers: a linear congruential generator, of which the upper bits are good enough.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn values<E: Number>(&mut self, len: usize) -> Vec<E> {
        (0..len)
            .map(|_| E::of(self.below(2001) as f64 / 1000.0 - 1.0))
            .collect()
    }

    /// A matrix of either layout, with some numbers between its rows or columns.
    fn steps(&mut self, rows: usize, columns: usize) -> (usize, usize, usize) {
        let gap = self.below(3);
        match self.below(2) {
            0 => (columns + gap, 1, rows * (columns + gap)),
            _ => (1, rows + gap, columns * (rows + gap)),
        }
    }
}

fn check<E: Number>(kernels: &Kernels<E>, Size { m, k, n }: Size, random: &mut Random) {
    let [(a_row, a_column, a_len), (b_row, b_column, b_len)] =
        [random.steps(m, k), random.steps(k, n)];
    let (a, b) = (random.values::<E>(a_len), random.values::<E>(b_len));
    let add = random.below(2) == 1;
    let before = if add {
        random.values(m * n)
    } else {
        vec![E::nan(); m * n]
    };
    let mut c = before.clone();
    let left = Operand {
        values: &a,
        row: a_row,
        column: a_column,
    };
    let right = Operand {
        values: &b,
        row: b_row,
        column: b_column,
    };
    compute(kernels, Size { m, k, n }, left, right, add, &mut c);
    let wide = |x: E| x.to_f64().expect("a number");
    // Of large results some elements, in all rows and columns.
    let step = 1 + m * n / 2000;
    for (at, &found) in c
        .iter()
        .enumerate()
        .step_by(step + usize::from(step > 1 && n % step == 0))
    {
        let (i, j) = (at / n, at % n);
        let terms =
            (0..k).map(|p| wide(a[i * a_row + p * a_column]) * wide(b[p * b_row + j * b_column]));
        let terms = terms.chain(add.then(|| wide(before[at])));
        let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term| {
            (sum + term, size + term.abs())
        });
        let bound = (k + 1) as f64 * wide(E::epsilon()) * size;
        assert!(
            (wide(found) - sum).abs() <= bound,
            "{m}x{k}x{n}, steps {a_row} {a_column} {b_row} {b_column}, add {add}, {} lanes: {found} for {sum} at {i} {j}",
            kernels.lanes
        );
    }
}

fn sweep<E: Number>() {
    let random = &mut Random(7);
    for kernels in E::kernels() {
        for m in 0..=40 {
            // All sizes of either axis, one with some of the other.
            for _ in 0..6 {
                let (k, n) = (random.below(41), random.below(41));
                check(kernels, Size { m, k, n }, random);
                check(kernels, Size { m: n, k, n: m }, random);
            }
        }
        for _ in 0..60 {
            let mut size = || {
                let most = [4, 40, 150][random.below(3)];
                1 + random.below(most)
            };
            let (m, k, n) = (size(), size(), size());
            check(kernels, Size { m, k, n }, random);
        }
        // Vectors; few rows and a long k; each size longer than what is packed at once; operands that are copied.
        for (m, k, n) in [
            (1, 300, 50),
            (50, 300, 1),
            (1, 17, 700),
            (5, 301, 21),
            (70, 200, 3),
            (3, 1100, 20),
            (9, 20, 1100),
            (1100, 9, 7),
            (600, 40, 200),
            (40, 520, 1000),
            (520, 3, 2060),
        ] {
            for _ in 0..2 {
                check(kernels, Size { m, k, n }, random);
            }
        }
    }
}

#[test]
fn products_of_f32_are_within_their_bound() {
    sweep::<f32>();
}

#[test]
fn products_of_f64_are_within_their_bound() {
    sweep::<f64>();
}

#[test]
fn what_is_not_finite_goes_through_and_stays_in_its_row_and_column() {
    for kernels in f32::kernels() {
        for (m, k, n) in [(1, 3, 1), (1, 5, 20), (20, 5, 1), (5, 4, 7), (9, 600, 33)] {
            for layout in 0..4 {
                let mut a = vec![1.0f32; m * k];
                let b = vec![0.0f32; k * n];
                let (a_row, a_column) = if layout % 2 == 0 { (k, 1) } else { (1, m) };
                let (b_row, b_column) = if layout / 2 == 0 { (n, 1) } else { (1, k) };
                a[(m - 1) * a_row + (k - 1) * a_column] = f32::INFINITY;
                let mut c = vec![f32::NAN; m * n];
                let left = Operand {
                    values: &a,
                    row: a_row,
                    column: a_column,
                };
                let right = Operand {
                    values: &b,
                    row: b_row,
                    column: b_column,
                };
                compute(kernels, Size { m, k, n }, left, right, false, &mut c);
                let (rest, last) = c.split_at((m - 1) * n);
                assert!(rest.iter().all(|&x| x == 0.0), "{m}x{k}x{n}: {rest:?}");
                assert!(
                    last.iter().all(|x| x.is_nan()),
                    "0·∞ in {m}x{k}x{n}: {last:?}"
                );
            }
        }
    }
}

#[test]
fn a_product_over_nothing_is_zero_or_what_was_there() {
    let (nothing, mut c) = ([0.0f64; 0], [f64::NAN; 6]);
    let operand = Operand::plain(&nothing, 1);
    product(Size { m: 2, k: 0, n: 3 }, operand, operand, false, &mut c);
    assert_eq!(c, [0.0; 6]);
    c = [7.0; 6];
    product(Size { m: 2, k: 0, n: 3 }, operand, operand, true, &mut c);
    assert_eq!(c, [7.0; 6]);
}

#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let random = &mut Random(3);
    for (m, k, n) in [
        (520, 520, 100),
        (8, 2400, 1000),
        (1000, 2400, 8),
        (300, 1000, 64),
        // Few rows, of which one alone is more than a thread's share.
        (8, 10_000, 250),
        // The last columns are in tiles of another height.
        (513, 14, 2401),
        (1, 2000, 1000),
        (1000, 2000, 1),
    ] {
        let (a, b) = (random.values::<f32>(m * k), random.values::<f32>(k * n));
        for (left, right) in [
            (Operand::plain(&a, k), Operand::plain(&b, n)),
            (Operand::plain(&a, k), Operand::transposed(&b, k)),
            (Operand::transposed(&a, m), Operand::plain(&b, n)),
            (Operand::transposed(&a, m), Operand::transposed(&b, k)),
        ] {
            let results = [1, 2, 5].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("threads");
                let mut c = vec![0.0; m * n];
                pool.install(|| product(Size { m, k, n }, left, right, false, &mut c));
                c
            });
            assert!(
                results[0] == results[1] && results[0] == results[2],
                "{m}x{k}x{n}"
            );
        }
    }
}
