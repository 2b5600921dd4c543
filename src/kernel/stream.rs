//! Results too large for the processor's caches, written past them.
//!
//! A store reads the cache line that it writes to, and drives out another one. For a result that will have left the
//! caches before anybody reads it both are in vain, and take half of the time. It is therefore computed part by part in
//! the nearest cache, and sent from there to memory.

use super::parallel::Work;
use crate::storage::{Buffer, Plain};

/// The size of such results, in bytes. Measured with sums of two tensors, one reading the other's result, on a processor
/// with 2 MiB for each core and far more for all: at 16 MiB both ways are as fast, from 32 MiB on this one is faster
/// by half.
#[cfg(target_arch = "x86_64")]
pub(super) const LEAST: usize = 32 << 20;
/// Elsewhere there is no such store.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const LEAST: usize = usize::MAX;

/// Elements in a part; what they are computed from stays in the nearest cache with them.
const PART: usize = 1 << 10;

/// A cache line.
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; 64]);

/// Does the work for a piece of a result, given the position of its first element, in parts of whole rows. The work
/// must write every element, and not read what is there before. `reads` is what it reads at the same positions: it is
/// fetched while a part is on its way, so that reading and writing go on at once.
pub(super) fn past_caches<T: Plain>(
    start: usize,
    piece: &mut [T],
    row: usize,
    reads: &[&[T]],
    work: &dyn Work<T>,
) {
    let part = (PART / row).max(1) * row;
    let mut scratch = Buffer::dirty(part.min(piece.len()));
    let scratch = scratch.fresh();
    for (number, out) in piece.chunks_mut(part).enumerate() {
        let (start, values) = (start + number * part, &mut scratch[..out.len()]);
        work.run(start, values);
        // SAFETY: any bytes are a line, and a `T`'s bytes are initialised (`Plain`).
        let (head, lines, tail) = unsafe { out.align_to_mut::<Line>() };
        let (ahead, behind) = (head.len(), values.len() - tail.len());
        head.copy_from_slice(&values[..ahead]);
        tail.copy_from_slice(&values[behind..]);
        let from = values[ahead..behind].as_ptr().cast::<Line>();
        for (i, line) in lines.iter_mut().enumerate() {
            for read in reads {
                fetch(
                    read.as_ptr()
                        .wrapping_add(start + part)
                        .cast::<Line>()
                        .wrapping_add(i),
                );
            }
            // SAFETY: between head and tail there are as many values as fill the lines.
            unsafe { send(from.add(i), line) };
        }
    }
    finish();
}

#[cfg(target_arch = "x86_64")]
use x86::{fetch, finish, send};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Line;
    use std::arch::x86_64::*;

    /// Has the processor fetch what will be read soon; the pointer may be any.
    #[inline(always)]
    pub(super) fn fetch(soon: *const Line) {
        // SAFETY: every x86-64 has the instruction, which reads nothing that could fail.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(soon.cast()) };
    }

    /// Copies a line past the caches.
    ///
    /// # Safety
    /// `from` may be read; it need not be aligned.
    #[inline(always)]
    pub(super) unsafe fn send(from: *const Line, to: &mut Line) {
        let (from, to): (*const __m128i, *mut __m128i) = (from.cast(), (&raw mut *to).cast());
        for i in 0..4 {
            // SAFETY: four of these are a line, which starts where `to` does.
            unsafe { _mm_stream_si128(to.add(i), _mm_loadu_si128(from.add(i))) };
        }
    }

    /// Whoever hears that the work is done finds it in memory.
    pub(super) fn finish() {
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_sfence() };
    }
}

#[cfg(not(target_arch = "x86_64"))]
use elsewhere::{fetch, finish, send};

/// There is no way past the caches here, and so nothing is sent that way, apart from tests.
#[cfg(not(target_arch = "x86_64"))]
mod elsewhere {
    use super::Line;

    pub(super) fn fetch(_: *const Line) {}
    /// # Safety
    /// `from` may be read; it need not be aligned.
    pub(super) unsafe fn send(from: *const Line, to: &mut Line) {
        // SAFETY: as above.
        *to = unsafe { from.read_unaligned() };
    }
    pub(super) fn finish() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_written_wherever_the_piece_starts() {
        for (offset, len, row) in [
            (0, 5000, 1),
            (3, 5000, 7),
            (1, 9, 3),
            (16, 4096, 4096),
            (5, 6000, 6000),
        ] {
            let mut values = vec![0.0f32; offset + len + 1];
            let fill = |start: usize, part: &mut [f32]| {
                for (i, value) in (start..).zip(part) {
                    *value = i as f32 + 1.0;
                }
            };
            past_caches(10, &mut values[offset..offset + len], row, &[], &fill);
            assert!(values[..offset].iter().all(|&v| v == 0.0) && values[offset + len] == 0.0);
            let written = (10..).zip(&values[offset..offset + len]);
            assert!(
                written.into_iter().all(|(i, &v)| v == i as f32 + 1.0),
                "{offset} {len} {row}"
            );
        }
    }
}
