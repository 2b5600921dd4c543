//! Products of two strided matrices, as fast as the processor multiplies.
//!
//! - [`lanes`] says what a vector of numbers can do, for AVX-512, for AVX2, and for processors of which nothing is
//!   known. Which of them a program runs on is found out when it runs.
//! - [`tile`] has the innermost loops, written once over such vectors. A *tile* of the result, 6 rows of 64 numbers
//!   or 8 of 48 with AVX-512 and f32, is summed up in registers: each step multiplies a number of each row of the left
//!   operand with a row of the right one. The left operand may lie in any way, since its numbers are taken one by one;
//!   the rows of the right one must lie side by side. Columns that do not fill a vector are masked, so no work is
//!   rounded up to whole tiles.
//! - Here, products are cut into blocks and those into tiles. The right operand is read where it lies if it stays in
//!   the second cache, as it does in all small products; otherwise a part of it that does is *packed*: copied in the
//!   order in which tiles read it, transposed on the way where its columns lie side by side. A left operand whose
//!   columns do is copied too where they are long. Threads share such copies, and the first to need a piece makes it.
//! - One row times a matrix, and few rows times the transpose of one, are spared the copy: the first is combined from
//!   whole rows as they follow one another in memory, the second is summed along k in vectors.
//!
//! In tiles each number of the result is summed in the order of k, in parts of [`DEPTH`], and how a product is cut
//! changes no bit of it; which way is taken depends on its sizes alone, so neither does the number of threads. Kinds of
//! processors with and without fused multiplication round differently.

pub(super) mod lanes;
#[cfg(test)]
mod tests;
mod tile;

use super::parallel;
use crate::element::Element;
use crate::storage::Buffer;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use tile::{DOTS, DOTS_OF_ROW, Dots, Kernels, Pack, Panels, Tile};

/// The sizes of a product: `m × k` times `k × n`.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Rows of the result.
    pub m: usize,
    /// The axis summed over.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
}

/// An operand: its values, and the steps from one row and from one column to the next.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a, E> {
    /// The values, from the first row's first column.
    pub values: &'a [E],
    /// Elements from a row to the next.
    pub row: usize,
    /// Elements from a column to the next.
    pub column: usize,
}

impl<'a, E> Operand<'a, E> {
    /// A row-major matrix of `columns` columns.
    pub(crate) fn plain(values: &'a [E], columns: usize) -> Self {
        Operand {
            values,
            row: columns,
            column: 1,
        }
    }

    /// The transpose of a row-major matrix of `columns` columns.
    pub(crate) fn transposed(values: &'a [E], columns: usize) -> Self {
        Operand {
            values,
            row: 1,
            column: columns,
        }
    }

    /// The operand without its first `i` rows.
    pub(crate) fn skip_rows(self, i: usize) -> Self {
        Operand {
            values: &self.values[(i * self.row).min(self.values.len())..],
            ..self
        }
    }

    fn check(&self, rows: usize, columns: usize) {
        if rows > 0 && columns > 0 {
            let last = (rows - 1) * self.row + (columns - 1) * self.column;
            assert!(
                last < self.values.len(),
                "matrix product: an operand is too short"
            );
        }
    }
}

/// Products with fewer multiplications are computed as a whole.
const MIN_WORK: usize = 1 << 20;
/// Multiplications that count as an element of elementwise work: two threads share products from 256² on. Smaller ones
/// are done before a sleeping thread has woken up.
const PER_ELEMENT: usize = 64;
/// Columns of the result that are computed together, and with [`DEPTH`] the part of the right operand that is packed:
/// half a mebibyte, which the second cache of a core has room for.
const COLUMNS: usize = 256;
/// Those where the left operand is copied: once for all of them.
const WIDE: usize = 2048;
/// Bytes of a column of what is packed.
const DEPTH: usize = 2048;
/// Columns of a result of one row that are computed together: long runs of the right operand's rows.
const ROW: usize = 4096;
/// Numbers along k for each row, or for each number of a vector that has room for all columns, from which on it costs
/// less to sum vectors up at the end than to transpose the right operand.
const DOTS_AT: usize = 8;
/// Numbers along k that are summed up in one go: the rounding of a longer sum would show.
const RUN: usize = 8192;
/// Blocks of the result for each of several threads.
const SHARES: usize = 16;
/// Multiplications in a block, at least: some microseconds.
const MIN_SHARE: usize = 1 << 19;
/// Rows of a transposed left operand that lie side by side when it is packed: whole tiles of any height, and whole
/// vectors of any kind.
const STRIP: usize = 48;
/// Rows of it that are packed together.
const BAND: usize = 4 * STRIP;
/// A right operand of up to so many bytes stays in the second cache, and is read where it lies.
const NEAR: usize = 7 << 18;
/// For so few rows the right operand is not worth copying.
const FEW: usize = 32;
/// Bytes from a row of a transposed left operand to the next from which on it is copied: each row lies on a page of
/// its own.
const FAR: usize = 2048;

/// `len` in equal parts of at most `most`, each but the last a multiple of `unit`: how long one is.
fn part(len: usize, most: usize, unit: usize) -> usize {
    // Small products are spared the divisions.
    if len <= most {
        return len.next_multiple_of(unit);
    }
    len.div_ceil(len.div_ceil(most)).next_multiple_of(unit)
}

/// The numbers that there are kernels for.
pub(crate) trait Number: Element {
    /// Those that this processor can run, the best first.
    fn kernels() -> impl Iterator<Item = &'static Kernels<Self>>;
}

macro_rules! number {
    ($E:ty: $avx512:ident, $avx2:ident, $portable:ident) => {
        impl Number for $E {
            #[inline]
            fn kernels() -> impl Iterator<Item = &'static Kernels<$E>> {
                #[cfg(target_arch = "x86_64")]
                let special = [
                    is_x86_feature_detected!("avx512f").then_some(&tile::x86::$avx512),
                    (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"))
                        .then_some(&tile::x86::$avx2),
                ];
                #[cfg(not(target_arch = "x86_64"))]
                let special: [Option<&'static Kernels<$E>>; 0] = [];
                special
                    .into_iter()
                    .flatten()
                    .chain([&tile::portable::$portable])
            }
        }
    };
}
number!(f32: AVX512_SINGLE, AVX2_SINGLE, SINGLE);
number!(f64: AVX512_DOUBLE, AVX2_DOUBLE, DOUBLE);

/// `c = a·b`, or with `add` `c += a·b`.
pub(crate) fn product<E: Number>(
    size: Size,
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    add: bool,
    c: &mut [E],
) {
    let kernels = E::kernels().next().expect("some run everywhere");
    compute(kernels, size, a, b, add, c);
}

fn compute<E: Number>(
    kernels: &Kernels<E>,
    size: Size,
    a: Operand<'_, E>,
    b: Operand<'_, E>,
    add: bool,
    c: &mut [E],
) {
    let Size { m, k, n } = size;
    a.check(m, k);
    b.check(k, n);
    assert_eq!(
        c.len(),
        m * n,
        "matrix product: the result has another size"
    );
    if k == 0 && !add {
        c.fill(E::zero());
    }
    if m * k * n == 0 {
        return;
    }
    let mut work = Work {
        kernels,
        size,
        a: a.values.as_ptr(),
        a_row: a.row,
        a_column: a.column,
        b: b.values.as_ptr(),
        b_row: b.row,
        b_column: b.column,
        c: c.as_mut_ptr(),
        add,
    };
    if n == 1 {
        work = work.turned();
    }
    work.run();
}

/// One product, its sizes checked.
struct Work<'a, E: Number> {
    kernels: &'a Kernels<E>,
    size: Size,
    a: *const E,
    a_row: usize,
    a_column: usize,
    b: *const E,
    b_row: usize,
    b_column: usize,
    c: *mut E,
    add: bool,
}

// SAFETY: the operands are only read, and threads write to different parts of the result.
unsafe impl<E: Number> Sync for Work<'_, E> {}

impl<E: Number> Work<'_, E> {
    /// The transpose, cᵀ = bᵀ·aᵀ, of a product with one column: the result lies as it did.
    fn turned(self) -> Self {
        let Size { m, k, n } = self.size;
        Work {
            size: Size { m: n, k, n: m },
            a: self.b,
            a_row: self.b_column,
            a_column: self.b_row,
            b: self.a,
            b_row: self.a_column,
            b_column: self.a_row,
            ..self
        }
    }

    fn run(&self) {
        let Size { m, k, n } = self.size;
        let work = m * k * n;
        if work < MIN_WORK {
            return self.block(0..m, 0..n, &self.copies([m, n], false));
        }
        // A single row's work is to read the matrix.
        let elements = if m == 1 { work } else { work / PER_ELEMENT };
        let threads = parallel::threads(elements);
        let shared = threads > 1;
        let most = match (m, self.is_banded()) {
            (1, _) if shared => n.div_ceil(SHARES * threads).max(DOTS_OF_ROW),
            (1, _) => ROW,
            (_, true) if !shared => WIDE,
            _ => COLUMNS,
        };
        let columns = part(n, most, self.kernels.lanes);
        let rows = if shared {
            let share = (work / (SHARES * threads)).max(MIN_SHARE);
            let tall = self.tall(columns);
            (share / (k * columns)).max(1).next_multiple_of(tall).min(m)
        } else {
            m
        };
        let down = m.div_ceil(rows);
        let copies = self.copies([m, columns], shared);
        parallel::for_each(n.div_ceil(columns) * down, elements, &|i| {
            let (column, row) = (i / down * columns, i % down * rows);
            let across = column..n.min(column + columns);
            self.block(row..m.min(row + rows), across, &copies);
        });
    }

    /// Room for what is copied of the operands for blocks of so many rows and columns: once for all of them if threads
    /// share it, otherwise for each.
    #[inline(always)]
    fn copies(&self, [rows, columns]: [usize; 2], shared: bool) -> Copies<E> {
        let Size { m, k, n } = self.size;
        let tiled = !self.is_of_dots(columns);
        let depth = self.depth();
        let copy = |len: usize, width: usize| {
            let (mut parts, mut pieces) = (0, 0);
            if shared {
                parts = k.div_ceil(depth);
                pieces = len.div_ceil(width) * parts;
            }
            let mut values = Buffer::dirty(pieces.max(1) * depth * width);
            let mut states = Vec::new();
            states.resize_with(pieces, || AtomicU8::new(TO_DO));
            Copy {
                start: values.fresh().as_mut_ptr(),
                _values: values,
                width,
                depth,
                parts,
                states,
            }
        };
        let lanes = self.kernels.lanes;
        let banded = self.is_banded() && columns > self.wide(columns) * lanes;
        Copies {
            right: (tiled && !self.is_direct(rows))
                .then(|| copy(n, columns.next_multiple_of(lanes))),
            left: (tiled && banded).then(|| copy(m, BAND)),
        }
    }

    /// True for a transposed left operand that is copied.
    fn is_banded(&self) -> bool {
        self.size.m > 1 && self.a_row == 1 && self.a_column * size_of::<E>() >= FAR
    }

    /// True for a right operand that is read where it lies by so many rows.
    fn is_direct(&self, rows: usize) -> bool {
        let near = self.size.k * self.b_row * size_of::<E>() <= NEAR;
        self.b_column == 1 && (near || rows <= FEW)
    }

    /// True if so many columns are summed up along k.
    fn is_of_dots(&self, columns: usize) -> bool {
        let (k, lanes) = (self.size.k, self.kernels.lanes);
        let narrow = columns < lanes && k >= DOTS_AT * lanes;
        self.a_column == 1 && self.b_row == 1 && (k >= DOTS_AT * self.size.m || narrow)
    }

    /// How much of k is summed up at once.
    fn depth(&self) -> usize {
        part(self.size.k, DEPTH / size_of::<E>(), 1)
    }

    /// Vectors in a row of the tiles of so many columns.
    fn wide(&self, columns: usize) -> usize {
        let vectors = columns.div_ceil(self.kernels.lanes);
        // The widest tiles have fewer rows: they are taken where there are many.
        let most = self.kernels.tiles.len();
        if vectors == most || vectors >= 2 * most {
            most
        } else {
            most - 1
        }
    }

    /// Rows of such tiles.
    fn tall(&self, columns: usize) -> usize {
        self.kernels.tiles[self.wide(columns) - 1].len()
    }

    /// Computes one block of the result.
    fn block(&self, rows: Range<usize>, columns: Range<usize>, copies: &Copies<E>) {
        let of_dots = self.is_of_dots(columns.len());
        // A single number is a dot product, even if its column might be a row.
        if self.size.m == 1 && self.b_column == 1 && !(of_dots && self.size.n == 1) {
            return self.combine(columns);
        }
        if of_dots {
            return self.dots(rows, columns);
        }
        self.tiles(rows, columns, copies);
    }

    /// Computes a part of the result's only row.
    fn combine(&self, columns: Range<usize>) {
        let &Work {
            size,
            a,
            a_column,
            b,
            b_row,
            c,
            add,
            ..
        } = self;
        let row = Tile {
            k: size.k,
            a,
            a_row: 0,
            a_column,
            b: b.wrapping_add(columns.start),
            b_row,
            c: c.wrapping_add(columns.start),
            c_row: 0,
            columns: columns.len(),
            add,
            soon: std::ptr::null(),
        };
        // SAFETY: the processor has the kernels' instructions (`Number`); all lies inside the operands and the result.
        unsafe { (self.kernels.combine)(&row) };
    }

    /// Computes one block of the result from rows and columns that lie side by side along k.
    fn dots(&self, rows: Range<usize>, columns: Range<usize>) {
        let &Work {
            size: Size { k, n, .. },
            a,
            a_row,
            b,
            b_column,
            c,
            add,
            ..
        } = self;
        let (dots, tall, wide) = match rows.len() {
            1 => (self.kernels.dots_of_row, 1, DOTS_OF_ROW),
            _ => (self.kernels.dots, self.kernels.dots_tall, DOTS),
        };
        for column in columns.clone().step_by(wide) {
            for row in rows.clone().step_by(tall) {
                for start in (0..k).step_by(RUN) {
                    let some = Dots {
                        k: RUN.min(k - start),
                        a: a.wrapping_add(row * a_row + start),
                        a_row,
                        rows: tall.min(rows.end - row),
                        b: b.wrapping_add(column * b_column + start),
                        b_column,
                        columns: wide.min(columns.end - column),
                        c: c.wrapping_add(row * n + column),
                        c_row: n,
                        add: add || start > 0,
                    };
                    // SAFETY: as in `combine`.
                    unsafe { dots(&some) };
                }
            }
        }
    }

    /// Copies some columns of the right operand, of a part of k, in the order in which tiles read them.
    fn pack_right(&self, columns: Range<usize>, start: usize, to: *mut E) {
        let pack = if self.b_column == 1 {
            self.kernels.pack_rows
        } else {
            self.kernels.pack_columns
        };
        let part = Pack {
            rows: self.depth().min(self.size.k - start),
            columns: columns.len(),
            from: self
                .b
                .wrapping_add(start * self.b_row + columns.start * self.b_column),
            row: self.b_row,
            column: self.b_column,
            to,
            panels: Panels::Tiles(self.wide(columns.len())),
        };
        // SAFETY: the operand's part lies inside it, and there is room for all vectors.
        unsafe { pack(&part) };
    }

    /// Copies some rows of a transposed left operand, of a part of k, in strips.
    fn pack_left(&self, rows: Range<usize>, start: usize, to: *mut E) {
        let part = Pack {
            rows: self.depth().min(self.size.k - start),
            columns: rows.len(),
            from: self.a.wrapping_add(rows.start + start * self.a_column),
            row: self.a_column,
            column: 1,
            to,
            panels: Panels::Even(STRIP / self.kernels.lanes),
        };
        // SAFETY: as above.
        unsafe { (self.kernels.pack_rows)(&part) };
    }

    /// Computes one block of the result in tiles.
    fn tiles(&self, rows: Range<usize>, columns: Range<usize>, copies: &Copies<E>) {
        let Kernels { lanes, tiles, .. } = *self.kernels;
        let Size { m, k, n } = self.size;
        let width = columns.len();
        let vectors = width.div_ceil(lanes);
        let wide = self.wide(width);
        let tall = self.tall(width);
        // Loops without an iterator, which would divide to know how long it is: as long as a tiny product takes.
        let (most, mut start) = (self.depth(), 0);
        while start < k {
            let depth = most.min(k - start);
            let right = copies.right.as_ref().map(|copy| {
                copy.piece(columns.start, start, |to| {
                    self.pack_right(columns.clone(), start, to)
                })
            });
            let b = self
                .b
                .wrapping_add(start * self.b_row + columns.start * self.b_column);
            let mut top = rows.start;
            while top < rows.end {
                // With a copied band one panel after the other is multiplied; otherwise, tile by tile, all.
                let band = top / BAND * BAND..m.min((top / BAND + 1) * BAND);
                let left = copies.left.as_ref().map(|copy| {
                    copy.piece(band.start, start, |to| {
                        self.pack_left(band.clone(), start, to)
                    })
                });
                let bottom = match left {
                    Some(_) => rows.end.min(band.end),
                    None => rows.end.min(top + tall),
                };
                let mut column = 0;
                for vectors in Panels::Tiles(wide).of(vectors) {
                    let (b, b_row) = match right {
                        Some(right) => {
                            let panel = right.wrapping_add(column * depth);
                            (panel.cast_const(), vectors * lanes)
                        }
                        None => (b.wrapping_add(column), self.b_row),
                    };
                    let mut row = top;
                    while row < bottom {
                        // No tile lies on two strips of a copy.
                        let height = match left {
                            Some(_) => tall.min(STRIP - row % STRIP),
                            None => tall,
                        };
                        let height = height.min(bottom - row);
                        let (a, a_row, a_column) = match left {
                            Some(left) => {
                                let (within, len) = (row - band.start, band.len());
                                let strip = within / STRIP * STRIP;
                                let width = STRIP.min((len - strip).next_multiple_of(lanes));
                                let at = strip * depth + within % STRIP;
                                (left.wrapping_add(at).cast_const(), 1, width)
                            }
                            None => {
                                let at = row * self.a_row + start * self.a_column;
                                (self.a.wrapping_add(at), self.a_row, self.a_column)
                            }
                        };
                        let tile = Tile {
                            k: depth,
                            a,
                            a_row,
                            a_column,
                            b,
                            b_row,
                            c: self.c.wrapping_add(row * n + columns.start + column),
                            c_row: n,
                            columns: (vectors * lanes).min(width - column),
                            add: self.add || start > 0,
                            soon: a.wrapping_add(tall * a_row + column),
                        };
                        // SAFETY: the processor has the kernels' instructions (`Number`); the tile and what it
                        // is computed of lie inside the block, and so inside the result and the operands.
                        unsafe { tiles[vectors - 1][height - 1](&tile) };
                        row += height;
                    }
                    column += vectors * lanes;
                }
                top = bottom;
            }
            start += depth;
        }
    }
}

/// What is copied of the operands; nothing of one that is read where it lies.
struct Copies<E: Number> {
    right: Option<Copy<E>>,
    left: Option<Copy<E>>,
}

/// A copy of an operand in pieces.
struct Copy<E: Number> {
    start: *mut E,
    _values: Buffer<E>,
    /// Columns of the right operand, or rows of the left one, in a piece.
    width: usize,
    /// How much of k is in a piece, and in how many parts it is.
    depth: usize,
    parts: usize,
    /// Of pieces that threads share, each made by the one that needs it first. Without any there is room for one piece,
    /// which is made anew each time.
    states: Vec<AtomicU8>,
}

// SAFETY: a piece that threads share is written by one of them, and read when it is there.
unsafe impl<E: Number> Sync for Copy<E> {}

/// Of a piece.
const TO_DO: u8 = 0;
const BEGUN: u8 = 1;
const DONE: u8 = 2;

impl<E: Number> Copy<E> {
    /// The piece from this column (or row) and this number along k on, which `pack` copies to where it is told.
    #[inline]
    fn piece(&self, from: usize, start: usize, pack: impl FnOnce(*mut E)) -> *mut E {
        if self.states.is_empty() {
            pack(self.start);
            return self.start;
        }
        let number = from / self.width * self.parts + start / self.depth;
        let state = &self.states[number];
        let piece = self.start.wrapping_add(number * self.width * self.depth);
        if state.load(Ordering::Acquire) == DONE {
            return piece;
        }
        if state
            .compare_exchange(TO_DO, BEGUN, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            pack(piece);
            state.store(DONE, Ordering::Release);
        }
        // Who has begun it is at work on it.
        while state.load(Ordering::Acquire) != DONE {
            thread::yield_now();
        }
        piece
    }
}
