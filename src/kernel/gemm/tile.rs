//! The innermost loops, compiled for each kind of processor.

// An index runs over several arrays at once; and iterators would be compiled once more for each tile.
#![allow(clippy::needless_range_loop)]

use super::lanes::{Few, Lanes};
use num_traits::Zero;

/// Steps of a tile's loop in which one of its rows is fetched: enough that fetching does not get in the way.
const STEPS: usize = 16;

/// A tile of the result, and what it is computed of.
pub(crate) struct Tile<E> {
    pub(super) k: usize,
    /// The left operand's first number, and the steps to the next row and to the next column.
    pub(super) a: *const E,
    pub(super) a_row: usize,
    pub(super) a_column: usize,
    /// The right operand's first number, and the step to the next row; its columns lie side by side.
    pub(super) b: *const E,
    pub(super) b_row: usize,
    /// The tile's first number, and the step to the next row.
    pub(super) c: *mut E,
    pub(super) c_row: usize,
    /// Columns of the tile: the last vector may be a part of one.
    pub(super) columns: usize,
    /// Whether the tile is added to; it is overwritten otherwise, and not read.
    pub(super) add: bool,
    /// What of the left operand will be needed next: as many rows and columns as the tile has.
    pub(super) soon: *const E,
}

/// `c = a·b` or `c += a·b` for a tile of `R` rows of `V` vectors, whose sums stay in registers.
///
/// # Safety
/// The processor has the instructions of `L`, which the caller is compiled for. All that the tile speaks of can be
/// read, and `c` written to.
#[inline(always)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(tile: &Tile<L::Number>) {
    let &Tile {
        k,
        a,
        a_row,
        a_column,
        mut b,
        b_row,
        c,
        c_row,
        columns,
        add,
        soon,
    } = tile;
    // SAFETY: the contract above; the last vector of a row reads and writes nothing beyond its columns.
    unsafe {
        let last = L::first(columns - (V - 1) * L::COUNT);
        let mut sums = [[L::zero(); V]; R];
        let mut rows = [a; R];
        for i in 1..R {
            rows[i] = rows[i - 1].wrapping_add(a_row);
        }
        let (mut at, mut left, mut round) = (0, k, 0);
        while left > 0 {
            // First the tile itself is fetched, then what comes next.
            if round < 2 * R {
                let row = if round < R {
                    c.cast_const().wrapping_add(round * c_row)
                } else {
                    soon.wrapping_add((round - R) * a_row)
                };
                for v in 0..V {
                    L::prefetch(row.wrapping_add(v * L::COUNT));
                }
                round += 1;
            }
            let steps = left.min(STEPS);
            left -= steps;
            for _ in 0..steps {
                let mut right = [L::load_some(b.add((V - 1) * L::COUNT), last); V];
                for v in 0..V - 1 {
                    right[v] = L::load(b.add(v * L::COUNT));
                }
                for i in 0..R {
                    let left = L::splat(*rows[i].wrapping_add(at));
                    for v in 0..V {
                        sums[i][v] = sums[i][v].add_product(left, right[v]);
                    }
                }
                at += a_column;
                b = b.wrapping_add(b_row);
            }
        }
        for i in 0..R {
            for v in 0..V {
                let sum = sums[i][v];
                let to = c.add(i * c_row + v * L::COUNT);
                if v + 1 < V {
                    if add { L::load(to).add(sum) } else { sum }.store(to);
                } else {
                    if add {
                        L::load_some(to, last).add(sum)
                    } else {
                        sum
                    }
                    .store_some(to, last);
                }
            }
        }
    }
}

/// How columns are cut into panels, in vectors.
#[derive(Clone, Copy)]
pub(super) enum Panels {
    /// So many each, but the last.
    Even(usize),
    /// Up to so many each, and none of a single one next to wider ones: a tile of few sums has the processor wait.
    Tiles(usize),
}

impl Panels {
    /// The widths of the panels of columns of so many vectors.
    #[inline(always)]
    pub(super) fn of(self, vectors: usize) -> impl Iterator<Item = usize> {
        let mut left = vectors;
        std::iter::from_fn(move || {
            let width = match self {
                Panels::Even(most) | Panels::Tiles(most) if left <= most => left,
                Panels::Tiles(most) if left == most + 1 => left.div_ceil(2),
                Panels::Even(most) | Panels::Tiles(most) => most,
            };
            left -= width;
            (width > 0).then_some(width)
        })
    }
}

/// A part of an operand that is copied into panels, one behind the other, so that the rows of each follow one
/// another in memory. The last is filled up with zeros to a whole vector.
pub(crate) struct Pack<E> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) from: *const E,
    /// Steps to the next row and to the next column, of which one is 1.
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) to: *mut E,
    pub(super) panels: Panels,
}

/// Copies columns that lie side by side.
///
/// # Safety
/// As [`tile`]: all that the part speaks of can be read, and `to` written to.
#[inline(always)]
unsafe fn pack_rows<L: Lanes>(part: &Pack<L::Number>) {
    let &Pack {
        rows,
        columns,
        from,
        row,
        to,
        panels,
        ..
    } = part;
    // Row by row, since each may lie on a page of its own.
    for i in 0..rows {
        let from = from.wrapping_add(i * row);
        let mut start = 0;
        for vectors in panels.of(columns.div_ceil(L::COUNT)) {
            let width = vectors * L::COUNT;
            // SAFETY: the contract above.
            unsafe {
                let to = to.add(start * rows + i * width);
                for v in 0..vectors {
                    let column = start + v * L::COUNT;
                    L::prefetch(from.wrapping_add(STEPS * row + column));
                    let vector = if column + L::COUNT <= columns {
                        L::load(from.add(column))
                    } else {
                        L::load_some(from.add(column), L::first(columns - column))
                    };
                    vector.store(to.add(v * L::COUNT));
                }
            }
            start += width;
        }
    }
}

/// Copies columns each of which lies by itself: squares of so many rows as a vector has numbers are transposed.
///
/// # Safety
/// As [`pack_rows`].
#[inline(always)]
unsafe fn pack_columns<L: Lanes, const N: usize>(part: &Pack<L::Number>) {
    let &Pack {
        rows,
        columns,
        from,
        column: step,
        to,
        panels,
        ..
    } = part;
    let mut start = 0;
    for vectors in panels.of(columns.div_ceil(L::COUNT)) {
        let width = vectors * L::COUNT;
        for v in 0..vectors {
            let first = start + v * L::COUNT;
            let there = (columns - first).min(L::COUNT);
            let mut row = 0;
            while row < rows {
                let count = (rows - row).min(N);
                // SAFETY: the contract above.
                unsafe {
                    let some = L::first(count);
                    let mut square = [L::zero(); N];
                    for (i, line) in square.iter_mut().enumerate().take(there) {
                        *line = L::load_some(from.add((first + i) * step + row), some);
                    }
                    transpose(&mut square);
                    let to = to.add(start * rows + row * width + v * L::COUNT);
                    for (i, line) in square.into_iter().enumerate().take(count) {
                        line.store(to.add(i * width));
                    }
                }
                row += count;
            }
        }
        start += width;
    }
}

/// Rows become columns. Each round interleaves the upper half of the rows with the lower one, which turns the places
/// of numbers, written as row and column in bits, by one bit; after as many rounds as there are bits in either, they
/// have changed places.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn transpose<L: Lanes, const N: usize>(square: &mut [L; N]) {
    for _ in 0..N.ilog2() {
        let before = *square;
        for i in 0..N / 2 {
            // SAFETY: the caller's.
            [square[2 * i], square[2 * i + 1]] = unsafe { before[i].interleave(before[i + N / 2]) };
        }
    }
}

/// Columns that [`dots`] multiplies with some rows at once.
pub(super) const DOTS: usize = 4;
/// Those that it multiplies with one row.
pub(super) const DOTS_OF_ROW: usize = 8;

/// Rows and columns whose products with one another are summed along their length, and where the sums go.
pub(crate) struct Dots<E> {
    pub(super) k: usize,
    /// The left operand's first number and the step to the next row; a row's numbers lie side by side.
    pub(super) a: *const E,
    pub(super) a_row: usize,
    pub(super) rows: usize,
    /// The right operand's first number and the step to the next column; a column's numbers lie side by side.
    pub(super) b: *const E,
    pub(super) b_column: usize,
    pub(super) columns: usize,
    pub(super) c: *mut E,
    pub(super) c_row: usize,
    pub(super) add: bool,
}

/// `c = a·b` or `c += a·b` for up to `R` rows and `C` columns: vectors along k, whose numbers are summed at the end.
/// Where there are fewer, the last is taken again and its sums are left.
///
/// # Safety
/// As [`tile`]; `N` is the vectors' [`Lanes::COUNT`].
#[inline(always)]
unsafe fn dots<L: Lanes, const N: usize, const R: usize, const C: usize>(of: &Dots<L::Number>) {
    let &Dots {
        k,
        a,
        a_row,
        rows,
        b,
        b_column,
        columns,
        c,
        c_row,
        add,
    } = of;
    // SAFETY: the contract above; the last vector of a row or column reads nothing beyond it.
    unsafe {
        let (mut left, mut right) = ([a; R], [b; C]);
        for i in 0..R {
            left[i] = a.wrapping_add(i.min(rows - 1) * a_row);
        }
        for j in 0..C {
            right[j] = b.wrapping_add(j.min(columns - 1) * b_column);
        }
        let mut sums = [[L::zero(); C]; R];
        let (last, mask) = (k - k % N, L::first(k % N));
        for at in (0..last).step_by(N) {
            let mut vectors = [L::zero(); R];
            for i in 0..R {
                vectors[i] = L::load(left[i].wrapping_add(at));
            }
            for j in 0..C {
                let right = L::load(right[j].wrapping_add(at));
                for i in 0..R {
                    sums[i][j] = sums[i][j].add_product(vectors[i], right);
                }
            }
        }
        if last < k {
            for j in 0..C {
                let right = L::load_some(right[j].wrapping_add(last), mask);
                for i in 0..R {
                    let left = L::load_some(left[i].wrapping_add(last), mask);
                    sums[i][j] = sums[i][j].add_product(left, right);
                }
            }
        }
        // Room for all sums, and for the rest of the last vector.
        let mut totals = [[L::Number::zero(); N]; 4];
        for (part, totals) in totals.iter_mut().enumerate().take((R * C).div_ceil(N)) {
            let mut parts = [L::zero(); N];
            for i in 0..N.min(R * C - part * N) {
                let place = part * N + i;
                parts[i] = sums[place / C][place % C];
            }
            total::<L, N>(parts).store(totals.as_mut_ptr());
        }
        for i in 0..rows {
            for j in (0..columns).step_by(N) {
                let some = L::first(N.min(columns - j));
                let sum = L::load_some(totals.as_ptr().cast::<L::Number>().add(i * C + j), some);
                let to = c.add(i * c_row + j);
                if add {
                    L::load_some(to, some).add(sum)
                } else {
                    sum
                }
                .store_some(to, some);
            }
        }
    }
}

/// The sums of the numbers of each of `N` vectors: [`transpose`] and the sum of the rows at once.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
unsafe fn total<L: Lanes, const N: usize>(mut parts: [L; N]) -> L {
    for round in 1..=N.ilog2() {
        for i in 0..N / 2 {
            let half = N >> round;
            if i < half {
                // SAFETY: the caller's.
                unsafe {
                    let [low, high] = parts[i].interleave(parts[i + half]);
                    parts[i] = low.add(high);
                }
            }
        }
    }
    parts[0]
}

/// Rows of the right operand that a row of the result is made of at once.
const AT_ONCE: usize = 8;

/// `c = a·b` or `c += a·b` for one row, from whole rows of the right operand as they follow one another in memory.
///
/// # Safety
/// As [`tile`].
#[inline(always)]
unsafe fn combine<L: Lanes>(of: &Tile<L::Number>) {
    let &Tile {
        k,
        a,
        a_column,
        b,
        b_row,
        c,
        columns,
        add,
        ..
    } = of;
    let last = columns - columns % L::COUNT;
    let mut done = 0;
    while done < k {
        let count = AT_ONCE.min(k - done);
        // SAFETY: the contract above.
        unsafe {
            let (a, b) = (a.add(done * a_column), b.wrapping_add(done * b_row));
            let add = add || done > 0;
            let mut factors = [L::zero(); AT_ONCE];
            for (p, factor) in factors.iter_mut().enumerate().take(count) {
                *factor = L::splat(*a.add(p * a_column));
            }
            for j in (0..last).step_by(L::COUNT) {
                let mut sum = if add { L::load(c.add(j)) } else { L::zero() };
                if count == AT_ONCE {
                    for (p, &factor) in factors.iter().enumerate() {
                        sum = sum.add_product(factor, L::load(b.add(p * b_row + j)));
                    }
                } else {
                    for p in 0..count {
                        sum = sum.add_product(
                            L::splat(*a.add(p * a_column)),
                            L::load(b.add(p * b_row + j)),
                        );
                    }
                }
                sum.store(c.add(j));
            }
            if last < columns {
                let mask = L::first(columns - last);
                let mut sum = if add {
                    L::load_some(c.add(last), mask)
                } else {
                    L::zero()
                };
                for p in 0..count {
                    sum = sum.add_product(
                        L::splat(*a.add(p * a_column)),
                        L::load_some(b.add(p * b_row + last), mask),
                    );
                }
                sum.store_some(c.add(last), mask);
            }
        }
        done += count;
    }
}

/// [`tile`], compiled.
pub(crate) type TileKernel<E> = unsafe fn(&Tile<E>);

/// What products are computed with on one kind of processor.
pub(crate) struct Kernels<E: 'static> {
    /// Numbers in a vector.
    pub(super) lanes: usize,
    /// Tiles of one vector a row and of more, each of one row and of more.
    pub(super) tiles: &'static [&'static [TileKernel<E>]],
    /// A tile of one row, which may have any number of columns.
    pub(super) combine: TileKernel<E>,
    /// [`dots`] of up to [`DOTS`] columns, and of how many rows.
    pub(super) dots: unsafe fn(&Dots<E>),
    pub(super) dots_tall: usize,
    /// Those of one row and up to [`DOTS_OF_ROW`] columns.
    pub(super) dots_of_row: unsafe fn(&Dots<E>),
    pub(super) pack_rows: unsafe fn(&Pack<E>),
    pub(super) pack_columns: unsafe fn(&Pack<E>),
}

macro_rules! kernels {
    (
        $($name:ident: $L:ty, $E:ty, up to $([$($rows:literal)*])* rows, $tall:literal rows of dots
        $(, $feature:literal)?;)*
    ) => {$(
        pub(in super::super) const $name: Kernels<$E> = {
            const COUNT: usize = <$L as Lanes>::COUNT;
            $(#[target_feature(enable = $feature)])?
            unsafe fn tiles<const R: usize, const V: usize>(of: &Tile<$E>) {
                // SAFETY: compiled for the processor; the rest is the caller's.
                unsafe { tile::<$L, R, V>(of) }
            }
            #[inline]
            $(#[target_feature(enable = $feature)])?
            unsafe fn row(of: &Tile<$E>) {
                // SAFETY: as above.
                unsafe { combine::<$L>(of) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn some_dots<const R: usize, const C: usize>(of: &Dots<$E>) {
                // SAFETY: as above.
                unsafe { dots::<$L, COUNT, R, C>(of) }
            }
            #[inline]
            $(#[target_feature(enable = $feature)])?
            unsafe fn rows(part: &Pack<$E>) {
                // SAFETY: as above.
                unsafe { pack_rows::<$L>(part) }
            }
            #[inline]
            $(#[target_feature(enable = $feature)])?
            unsafe fn columns(part: &Pack<$E>) {
                // SAFETY: as above.
                unsafe { pack_columns::<$L, COUNT>(part) }
            }
            Kernels {
                lanes: COUNT,
                tiles: kernels! { @vectors tiles; $([$($rows)*])* },
                combine: row,
                dots: some_dots::<$tall, DOTS>,
                dots_tall: $tall,
                dots_of_row: some_dots::<1, DOTS_OF_ROW>,
                pack_rows: rows,
                pack_columns: columns,
            }
        };
    )*};
    // The tiles of one vector, of two, and so on.
    (@vectors $tiles:ident; $one:tt $two:tt $($three:tt $($four:tt)?)?) => {
        &[
            kernels! { @rows $tiles 1 $one },
            kernels! { @rows $tiles 2 $two },
            $(kernels! { @rows $tiles 3 $three }, $(kernels! { @rows $tiles 4 $four },)?)?
        ]
    };
    (@rows $tiles:ident $vectors:literal [$($rows:literal)*]) => {
        &[$($tiles::<$rows, $vectors>),*]
    };
}

// As many sums as fit the registers, next to what they are computed of: a row of the right operand, a number of the
// left one, and with AVX2 the mask.
#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::*;
    use std::arch::x86_64::*;
    kernels! {
        AVX512_SINGLE: __m512, f32, up to [1 2 3 4 5 6 7 8] [1 2 3 4 5 6 7 8] [1 2 3 4 5 6 7 8] [1 2 3 4 5 6] rows, 4 rows of dots, "avx512f";
        AVX512_DOUBLE: __m512d, f64, up to [1 2 3 4 5 6 7 8] [1 2 3 4 5 6 7 8] [1 2 3 4 5 6 7 8] [1 2 3 4 5 6] rows, 4 rows of dots, "avx512f";
        AVX2_SINGLE: __m256, f32, up to [1 2 3 4 5 6] [1 2 3 4 5 6] rows, 2 rows of dots, "avx2,fma";
        AVX2_DOUBLE: __m256d, f64, up to [1 2 3 4 5 6] [1 2 3 4 5 6] rows, 2 rows of dots, "avx2,fma";
    }
}

pub(super) mod portable {
    use super::*;
    #[cfg(target_arch = "aarch64")]
    kernels! {
        SINGLE: Few<f32, 8>, f32, up to [1 2 3 4] [1 2 3 4] [1 2 3 4] rows, 2 rows of dots;
        DOUBLE: Few<f64, 4>, f64, up to [1 2 3 4] [1 2 3 4] [1 2 3 4] rows, 2 rows of dots;
    }
    #[cfg(not(target_arch = "aarch64"))]
    kernels! {
        SINGLE: Few<f32, 8>, f32, up to [1 2] [1 2] [1 2] rows, 1 rows of dots;
        DOUBLE: Few<f64, 4>, f64, up to [1 2] [1 2] [1 2] rows, 1 rows of dots;
    }
}
