//! The innermost loops, compiled for each kind of processor.

use super::lanes::{Few, Lanes};

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
    } = tile;
    // SAFETY: the contract above; the last vector of a row reads and writes nothing beyond its columns.
    unsafe {
        let last = L::first(columns - (V - 1) * L::COUNT);
        let mut sums = [[L::zero(); V]; R];
        let rows: [_; R] = std::array::from_fn(|i| a.wrapping_add(i * a_row));
        let (mut at, mut left, mut soon) = (0, k, 0);
        while left > 0 {
            for v in 0..V {
                L::prefetch(c.wrapping_add(soon * c_row + v * L::COUNT));
            }
            soon = (soon + 1) % R;
            let steps = left.min(STEPS);
            left -= steps;
            for _ in 0..steps {
                let right: [L; V] = std::array::from_fn(|v| {
                    let from = b.add(v * L::COUNT);
                    if v + 1 < V {
                        L::load(from)
                    } else {
                        L::load_some(from, last)
                    }
                });
                for (sums, row) in sums.iter_mut().zip(rows) {
                    let left = L::splat(*row.wrapping_add(at));
                    for (sum, right) in sums.iter_mut().zip(right) {
                        *sum = sum.add_product(left, right);
                    }
                }
                at += a_column;
                b = b.wrapping_add(b_row);
            }
        }
        for (i, sums) in sums.into_iter().enumerate() {
            for (v, sum) in sums.into_iter().enumerate() {
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

/// The widths of panels that columns of so many vectors are cut into: at most `most` each, and none of a single one
/// next to wider ones, since a tile of few sums has the processor wait for them.
pub(super) fn panels(vectors: usize, most: usize) -> impl Iterator<Item = usize> {
    let mut left = vectors;
    std::iter::from_fn(move || {
        let width = if left == most + 1 {
            left.div_ceil(2)
        } else {
            left.min(most)
        };
        left -= width;
        (width > 0).then_some(width)
    })
}

/// A part of an operand that is copied into [`panels`], one behind the other, so that the rows of each follow one
/// another in memory. The last is filled up with zeros to a whole vector.
pub(crate) struct Pack<E> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) from: *const E,
    /// Steps to the next row and to the next column, of which one is 1.
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) to: *mut E,
    /// Vectors of a panel, at most.
    pub(super) most: usize,
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
        most,
        ..
    } = part;
    let mut column = 0;
    for vectors in panels(columns.div_ceil(L::COUNT), most) {
        let width = vectors * L::COUNT;
        // SAFETY: the contract above.
        unsafe {
            let last = L::first((columns - column).min(width) - (vectors - 1) * L::COUNT);
            let (mut from, mut to) = (from.add(column), to.add(column * rows));
            for _ in 0..rows {
                for v in 0..vectors - 1 {
                    L::prefetch(from.wrapping_add(STEPS * row + v * L::COUNT));
                    L::load(from.add(v * L::COUNT)).store(to.add(v * L::COUNT));
                }
                let v = vectors - 1;
                L::prefetch(from.wrapping_add(STEPS * row + v * L::COUNT));
                L::load_some(from.add(v * L::COUNT), last).store(to.add(v * L::COUNT));
                from = from.wrapping_add(row);
                to = to.wrapping_add(width);
            }
        }
        column += width;
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
        most,
        ..
    } = part;
    let mut start = 0;
    for vectors in panels(columns.div_ceil(L::COUNT), most) {
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
                    let mut square: [L; N] = std::array::from_fn(|i| {
                        if i < there {
                            L::load_some(from.add((first + i) * step + row), some)
                        } else {
                            L::zero()
                        }
                    });
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

/// [`tile`], compiled.
pub(crate) type TileKernel<E> = unsafe fn(&Tile<E>);

/// What products are computed with on one kind of processor.
pub(crate) struct Kernels<E: 'static> {
    /// Numbers in a vector.
    pub(super) lanes: usize,
    /// Tiles of one row and of more, each of one vector a row and of more.
    pub(super) tiles: &'static [&'static [TileKernel<E>]],
    pub(super) pack_rows: unsafe fn(&Pack<E>),
    pub(super) pack_columns: unsafe fn(&Pack<E>),
}

macro_rules! kernels {
    (
        $($name:ident: $L:ty, $E:ty, $rows:tt rows of $vectors:tt vectors $(, $feature:literal)?;)*
    ) => {$(
        pub(in super::super) static $name: Kernels<$E> = {
            const COUNT: usize = <$L as Lanes>::COUNT;
            $(#[target_feature(enable = $feature)])?
            unsafe fn tiles<const R: usize, const V: usize>(of: &Tile<$E>) {
                // SAFETY: compiled for the processor; the rest is the caller's.
                unsafe { tile::<$L, R, V>(of) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn rows(part: &Pack<$E>) {
                // SAFETY: as above.
                unsafe { pack_rows::<$L>(part) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn columns(part: &Pack<$E>) {
                // SAFETY: as above.
                unsafe { pack_columns::<$L, COUNT>(part) }
            }
            Kernels {
                lanes: COUNT,
                tiles: kernels! { @each tiles $rows $vectors },
                pack_rows: rows,
                pack_columns: columns,
            }
        };
    )*};
    (@each $tiles:ident [$($rows:literal)*] $vectors:tt) => {
        &[$(kernels! { @row $tiles $rows $vectors }),*]
    };
    (@row $tiles:ident $rows:literal [$($vectors:literal)*]) => {
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
        AVX512_SINGLE: __m512, f32, [1 2 3 4 5 6 7 8] rows of [1 2 3] vectors, "avx512f";
        AVX512_DOUBLE: __m512d, f64, [1 2 3 4 5 6 7 8] rows of [1 2 3] vectors, "avx512f";
        AVX2_SINGLE: __m256, f32, [1 2 3 4 5 6] rows of [1 2] vectors, "avx2,fma";
        AVX2_DOUBLE: __m256d, f64, [1 2 3 4 5 6] rows of [1 2] vectors, "avx2,fma";
    }
}

pub(super) mod portable {
    use super::*;
    #[cfg(target_arch = "aarch64")]
    kernels! {
        SINGLE: Few<f32, 8>, f32, [1 2 3 4] rows of [1 2 3] vectors;
        DOUBLE: Few<f64, 4>, f64, [1 2 3 4] rows of [1 2 3] vectors;
    }
    #[cfg(not(target_arch = "aarch64"))]
    kernels! {
        SINGLE: Few<f32, 8>, f32, [1 2] rows of [1 2 3] vectors;
        DOUBLE: Few<f64, 4>, f64, [1 2] rows of [1 2 3] vectors;
    }
}
