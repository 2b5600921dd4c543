//! The innermost loops of convolutions, compiled for each kind of processor.
//!
//! What the kernel slides along is a copy, in which all that an entry of the kernel meets along a row of the output lies
//! side by side. Nobody needs a matrix of all that is met: where an entry meets the first place is its *offset*, and
//! from there on places of the output are as far apart as what is met there.

// An index runs over several arrays at once; and iterators would be compiled once more for each tile.
#![allow(clippy::needless_range_loop)]
// The kernels for any numbers are generic, and the macro that makes them makes the others too.
#![allow(clippy::extra_unused_type_parameters)]

use super::gemm::lanes::{Few, Lanes};
#[cfg(target_arch = "x86_64")]
use super::wide::Level;
use crate::element::Element;

/// A vector of places in a row of the output.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Where the entry with offset 0 meets the first.
    pub(super) from: usize,
    /// Where the first lies in a channel of the output.
    pub(super) to: usize,
    /// How many there are: those behind it in a vector are none.
    pub(super) count: usize,
}

/// Channels of the output at some places, and what they are computed of.
pub(crate) struct Tile<E> {
    /// Entries of the kernel, in all channels that are summed over.
    pub(super) taps: usize,
    pub(super) offsets: *const usize,
    /// The first output channel's weights, and the step to the next channel's.
    pub(super) weight: *const E,
    pub(super) weight_row: usize,
    pub(super) lines: *const E,
    /// As many as a whole number of tiles has.
    pub(super) places: *const Place,
    pub(super) count: usize,
    /// The first channel of the output, and the step to the next.
    pub(super) out: *mut E,
    pub(super) out_row: usize,
    /// Whether the output is added to; it is overwritten otherwise, and not read.
    pub(super) add: bool,
}

/// Computes `R` channels, at `V` vectors of places at once.
///
/// # Safety
/// The processor has the instructions of `L`, which the caller is compiled for. A vector at each offset from each place
/// can be read, and the output written to.
#[inline(always)]
unsafe fn tile<L: Lanes, const R: usize, const V: usize>(of: &Tile<L::Number>) {
    // SAFETY: the contract above.
    unsafe {
        let mut rows = [of.weight; R];
        for r in 1..R {
            rows[r] = rows[r - 1].wrapping_add(of.weight_row);
        }
        for first in (0..of.count).step_by(V) {
            let places = &*of.places.add(first).cast::<[Place; V]>();
            let mut lines = [of.lines; V];
            for v in 0..V {
                lines[v] = of.lines.add(places[v].from);
            }
            let mut sums = [[L::zero(); V]; R];
            for t in 0..of.taps {
                let offset = *of.offsets.add(t);
                let mut values = [L::zero(); V];
                for v in 0..V {
                    values[v] = L::load(lines[v].add(offset));
                }
                for r in 0..R {
                    let weight = L::splat(*rows[r].add(t));
                    for v in 0..V {
                        sums[r][v] = sums[r][v].add_product(weight, values[v]);
                    }
                }
            }
            for v in 0..V {
                let mask = L::first(places[v].count);
                for r in 0..R {
                    let to = of.out.wrapping_add(r * of.out_row + places[v].to);
                    let sum = if of.add {
                        L::load_some(to, mask).add(sums[r][v])
                    } else {
                        sums[r][v]
                    };
                    sum.store_some(to, mask);
                }
            }
        }
    }
}

/// Entries of the kernel whose weights' gradients are summed at once.
pub(super) const TAPS: usize = 9;

/// The products of a channel of the gradient with what some entries of the kernel meet at some places.
pub(crate) struct Products<E> {
    /// One to [`TAPS`].
    pub(super) taps: usize,
    pub(super) offsets: *const usize,
    pub(super) grad: *const E,
    pub(super) lines: *const E,
    pub(super) places: *const Place,
    pub(super) count: usize,
    /// A vector of sums for each entry, which are added to.
    pub(super) sums: *mut E,
}

/// # Safety
/// As [`tile`]: all that is spoken of can be read, and the sums written to.
#[inline(always)]
unsafe fn products<L: Lanes>(of: &Products<L::Number>) {
    // SAFETY: the contract above. Where there are fewer entries, the last is taken again and its sums are left.
    unsafe {
        let mut lines = [of.lines; TAPS];
        let mut sums = [L::zero(); TAPS];
        for t in 0..TAPS {
            let t_there = t.min(of.taps - 1);
            lines[t] = of.lines.add(*of.offsets.add(t_there));
            sums[t] = L::load(of.sums.add(t_there * L::COUNT));
        }
        for i in 0..of.count {
            let place = &*of.places.add(i);
            // Behind the last place lies what has no part in the sums, and may be infinite.
            let mask = L::first(place.count);
            let grad = L::load_some(of.grad.wrapping_add(place.to), mask);
            for t in 0..TAPS {
                let values = L::load_some(lines[t].add(place.from), mask);
                sums[t] = sums[t].add_product(grad, values);
            }
        }
        for t in 0..of.taps {
            sums[t].store(of.sums.add(t * L::COUNT));
        }
    }
}

/// Lines of numbers that are copied, a stride apart, to where they lie side by side.
pub(crate) struct Copy<E> {
    pub(super) lines: usize,
    pub(super) len: usize,
    pub(super) from: *const E,
    pub(super) from_line: usize,
    pub(super) stride: usize,
    pub(super) to: *mut E,
    pub(super) to_line: usize,
}

/// # Safety
/// As [`tile`]: the numbers can be read, and those of the copy written to.
#[inline(always)]
unsafe fn copy<L: Lanes>(of: &Copy<L::Number>) {
    for i in 0..of.lines {
        // SAFETY: the contract above: of `count` numbers two apart the last is the one with number 2·count − 2.
        unsafe {
            let (from, to) = (of.from.add(i * of.from_line), of.to.add(i * of.to_line));
            if of.stride > 2 {
                for at in 0..of.len {
                    *to.add(at) = *from.add(at * of.stride);
                }
                continue;
            }
            for at in (0..of.len).step_by(L::COUNT) {
                let count = (of.len - at).min(L::COUNT);
                let (from, to) = (from.add(at * of.stride), to.add(at));
                let mask = L::first(count);
                if of.stride == 1 {
                    L::load_some(from, mask).store_some(to, mask);
                } else {
                    let spread = 2 * count - 1;
                    let first = L::load_some(from, L::first(spread.min(L::COUNT)));
                    let rest = L::first(spread.saturating_sub(L::COUNT));
                    let second = L::load_some(from.wrapping_add(L::COUNT), rest);
                    first.separate(second)[0].store_some(to, mask);
                }
            }
        }
    }
}

/// Lines that are taken apart into `stride` parts, to where their numbers are a stride apart: the copy that undoes
/// [`Copy`].
pub(crate) struct Join<E> {
    pub(super) lines: usize,
    /// Numbers in a joined line.
    pub(super) len: usize,
    pub(super) stride: usize,
    /// The first part of the first line, the step to the next part, and that to the next line of each.
    pub(super) from: *const E,
    pub(super) from_part: usize,
    pub(super) from_line: usize,
    pub(super) to: *mut E,
    pub(super) to_line: usize,
}

/// # Safety
/// As [`copy`].
#[inline(always)]
unsafe fn join<L: Lanes>(of: &Join<L::Number>) {
    for i in 0..of.lines {
        // SAFETY: the contract above: of each part are read as many numbers as the line has of it.
        unsafe {
            let (from, to) = (of.from.add(i * of.from_line), of.to.add(i * of.to_line));
            if of.stride != 2 {
                for part in 0..of.stride.min(of.len) {
                    let (from, to) = (from.add(part * of.from_part), to.add(part));
                    for at in 0..(of.len - part).div_ceil(of.stride) {
                        *to.add(at * of.stride) = *from.add(at);
                    }
                }
                continue;
            }
            for at in (0..of.len).step_by(2 * L::COUNT) {
                let count = (of.len - at).min(2 * L::COUNT);
                let (from, to) = (from.add(at / 2), to.add(at));
                let even = L::load_some(from, L::first(count.div_ceil(2)));
                let odd = L::load_some(from.wrapping_add(of.from_part), L::first(count / 2));
                let [first, second] = even.interleave(odd);
                first.store_some(to, L::first(count.min(L::COUNT)));
                let rest = L::first(count.saturating_sub(L::COUNT));
                second.store_some(to.wrapping_add(L::COUNT), rest);
            }
        }
    }
}

/// [`tile`], compiled.
type TileKernel<E> = unsafe fn(&Tile<E>);

/// What convolutions are computed with on one kind of processor.
pub struct Kernels<E: 'static> {
    /// Numbers in a vector.
    pub(super) lanes: usize,
    /// [`tile`] of one channel, of two, and so on; and at how many vectors of places each works.
    pub(super) tiles: &'static [(TileKernel<E>, usize)],
    pub(super) products: unsafe fn(&Products<E>),
    pub(super) copy: unsafe fn(&Copy<E>),
    pub(super) join: unsafe fn(&Join<E>),
}

macro_rules! kernels {
    ($L:ty, $E:ty, [$($rows:literal by $vectors:literal),*] $(, $feature:literal)?) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn tiles<E: Element, const R: usize, const V: usize>(of: &Tile<$E>) {
            // SAFETY: compiled for the processor; the rest is the caller's.
            unsafe { tile::<$L, R, V>(of) }
        }
        $(#[target_feature(enable = $feature)])?
        unsafe fn sums<E: Element>(of: &Products<$E>) {
            // SAFETY: as above.
            unsafe { products::<$L>(of) }
        }
        $(#[target_feature(enable = $feature)])?
        unsafe fn copies<E: Element>(of: &Copy<$E>) {
            // SAFETY: as above.
            unsafe { copy::<$L>(of) }
        }
        $(#[target_feature(enable = $feature)])?
        unsafe fn joins<E: Element>(of: &Join<$E>) {
            // SAFETY: as above.
            unsafe { join::<$L>(of) }
        }
        Kernels {
            lanes: <$L as Lanes>::COUNT,
            tiles: &[$((tiles::<$E, $rows, $vectors>, $vectors)),*],
            products: sums::<$E>,
            copy: copies::<$E>,
            join: joins::<$E>,
        }
    }};
}

impl<E: Element> Kernels<E> {
    /// For processors of which nothing is known, and for any numbers.
    pub(crate) const PORTABLE: Kernels<E> = kernels!(Few<E, 4>, E, [1 by 4, 2 by 3]);
}

macro_rules! numbers {
    ($($E:ident: $avx512:ident, $avx2:ident;)*) => {$(
        impl Kernels<$E> {
            /// For this processor.
            #[inline]
            pub(crate) fn here() -> &'static Kernels<$E> {
                #[cfg(target_arch = "x86_64")]
                {
                    use std::arch::x86_64::*;
                    // As many sums as fit the registers, next to what they are computed of.
                    const AVX512: Kernels<$E> = kernels!(
                        $avx512, $E,
                        [1 by 8, 2 by 8, 3 by 6, 4 by 6, 5 by 4, 6 by 4, 7 by 3, 8 by 3],
                        "avx512f"
                    );
                    const AVX2: Kernels<$E> = kernels!(
                        $avx2, $E,
                        [1 by 8, 2 by 4, 3 by 3, 4 by 2, 5 by 2, 6 by 2],
                        "avx2,fma"
                    );
                    match Level::here() {
                        Level::Avx512 => return &AVX512,
                        Level::Avx2 => return &AVX2,
                        Level::Base => {}
                    }
                }
                &Self::PORTABLE
            }
        }
    )*};
}
numbers! {
    f32: __m512, __m256;
    f64: __m512d, __m256d;
}
