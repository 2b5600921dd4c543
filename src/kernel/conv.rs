//! Convolutions as matrix products: forward, and the gradients of the input and of the weight.
//!
//! For one image and one group, the entries under each place of the kernel are a column of a matrix, and
//! the convolution is weight times matrix (Chellapilla, Puri, Simard 2006). The matrix has as many
//! rows as the kernel has entries, so it is never formed as a whole: only blocks of its columns are,
//! small enough to stay in a cache. A kernel of 1 × 1 needs no such matrix at all, and where rows of the output fill
//! vectors well, neither do others: `slide` has those.

use super::gemm::{Operand, Size};
use super::parallel::{self, Parts};
use super::slide;
use crate::element::Element;
use crate::shape::{Conv, Sweep};
use crate::storage::Buffer;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// Elements in a block of columns: 512 KiB of `f32`, which a core's second cache holds.
const BLOCK: usize = 1 << 17;
/// Fewer columns make a poor product, whatever their length.
const MIN_COLUMNS: usize = 64;
/// Rows of the matrix that the gradients work on at once.
const ROWS: usize = 256;
/// Sums that the images' parts of a weight's gradient are collected in.
const SUMS: usize = 8;
/// Elements that all those sums together may have, beyond the first.
const MAX_SUMS: usize = 1 << 22;
/// Up to so many output channels for one input channel, a matrix is not worth its copies.
const FEW_OUTPUTS: usize = 4;
/// Images times groups that are enough tasks, without cutting each of them into blocks.
const MANY_ITEMS: usize = 8;
/// Places of the kernel in an image that are worth sorting its entries for.
const MANY_PLACES: usize = 128;
/// Multiplications that are as much work as one element of elementwise work.
const MULTIPLICATIONS: usize = 4;

impl Sweep {
    /// The places at which the kernel's entry `k` lies inside the axis.
    pub(super) fn inside(&self, k: usize) -> Range<usize> {
        let at = k * self.dilation;
        let first = self.before.saturating_sub(at).div_ceil(self.stride);
        let end = (self.input + self.before)
            .saturating_sub(at)
            .div_ceil(self.stride)
            .min(self.output);
        first.min(end)..end
    }

    /// Where the kernel's entry `k` lies at `place`, if that is inside.
    pub(super) fn at(&self, place: usize, k: usize) -> usize {
        place * self.stride + k * self.dilation - self.before
    }

    /// Entries of the axis and its padding, counted from the padding's first, that lie under the kernel at `places`.
    fn reach(&self, places: Range<usize>) -> Range<usize> {
        let last = (places.end - 1) * self.stride + (self.kernel - 1) * self.dilation;
        places.start * self.stride..last + 1
    }

    /// Each place is an entry of the axis.
    fn is_plain(&self) -> bool {
        self.kernel == 1 && self.stride == 1 && self.before == 0 && self.input == self.output
    }
}

impl Conv {
    /// Elements of a channel of the input.
    fn area_in(&self) -> usize {
        self.rows.input * self.columns.input
    }

    /// Elements of a channel of the output.
    fn area_out(&self) -> usize {
        self.rows.output * self.columns.output
    }

    /// Entries of the kernel in one channel.
    fn kernel(&self) -> usize {
        self.rows.kernel * self.columns.kernel
    }

    /// Entries of the kernel that make one output: the rows of the matrix.
    fn depth(&self) -> usize {
        self.inputs * self.kernel()
    }

    /// Images, each once for every group.
    fn items(&self) -> usize {
        self.images * self.groups
    }

    fn input_len(&self) -> usize {
        self.items() * self.inputs * self.area_in()
    }

    fn output_len(&self) -> usize {
        self.items() * self.outputs * self.area_out()
    }

    fn weight_len(&self) -> usize {
        self.groups * self.outputs * self.depth()
    }

    /// How much work it is, in elements of elementwise work.
    fn work(&self) -> usize {
        self.output_len().saturating_mul(self.depth()) / MULTIPLICATIONS
    }

    fn is_plain(&self) -> bool {
        self.rows.is_plain() && self.columns.is_plain()
    }

    /// Too few rows or columns for a matrix.
    fn is_direct(&self) -> bool {
        self.inputs == 1 && self.outputs <= FEW_OUTPUTS
    }

    /// Whether it is computed without a matrix.
    fn slides<E: Element>(&self) -> bool {
        let row = self.inputs * self.columns.reach(0..self.columns.output).len();
        self.is_direct() || !self.is_plain() && slide::is_worth::<E>(self.columns.output, row)
    }

    /// Whether the gradient of its input is. Weights are sorted anew for it, for which there must be places enough; and
    /// what is read for a single channel is read too seldom.
    fn slides_back<E: Element>(&self) -> bool {
        let row = self.outputs * self.columns.output;
        let places = self.columns.input.div_ceil(self.columns.stride);
        let many = self.area_out() >= MANY_PLACES && self.inputs > 1;
        self.is_direct() || !self.is_plain() && many && slide::is_worth::<E>(places, row)
    }

    /// The columns of the matrix in blocks, if it has `depth` rows.
    fn blocks(&self, depth: usize) -> Blocks {
        if self.is_plain() && self.items() >= MANY_ITEMS {
            // Nothing is formed that a cache should hold.
            return Blocks {
                len: self.area_out(),
                count: 1,
                all: self.area_out(),
            };
        }
        let len = (BLOCK / depth.max(1)).max(MIN_COLUMNS);
        // Blocks of one size, rather than a last one of a few columns; of whole rows, if they hold any.
        let (all, width) = (self.area_out(), self.columns.output);
        let count = all.div_ceil(len);
        let len = all.div_ceil(count.max(1));
        let len = if len > width {
            len.next_multiple_of(width)
        } else {
            len
        };
        Blocks {
            len,
            count: all.div_ceil(len),
            all,
        }
    }

    /// Input channels that the gradients work on at once.
    fn channels_at_once(&self) -> usize {
        (ROWS / self.kernel().max(1)).clamp(1, self.inputs.max(1))
    }

    /// Calls `each` for each of `channels` and each entry of the kernel, which make a row of the matrix: with where the
    /// kernel's entry lies in the frame at the first place of `block`.
    fn rows_of_the_matrix(&self, frame: &Frame, channels: usize, mut each: impl FnMut(usize)) {
        for channel in 0..channels {
            for i in 0..self.rows.kernel {
                let line = channel * frame.channel + i * self.rows.dilation * frame.width;
                for j in 0..self.columns.kernel {
                    each(line + j * self.columns.dilation);
                }
            }
        }
    }

    /// The block of the matrix: for each of `channels` and each entry of the kernel, what lies under it.
    fn unfold<E: Element>(&self, channels: &[E], block: &Range<usize>, out: &mut [E]) {
        let frame = self.frame(block);
        let count = channels.len() / self.area_in();
        let copy;
        let values = if let Some(start) = frame.start {
            &channels[start..]
        } else {
            let mut padded = Buffer::dirty(count * frame.channel);
            let mut lines = padded.fresh().chunks_exact_mut(frame.width);
            for channel in channels.chunks_exact(self.area_in()) {
                for row in frame.rows.clone() {
                    let line = lines.next().expect("a line for each row");
                    match self.inner(&frame, row) {
                        Some((left, inner)) => {
                            line[..left].fill(E::zero());
                            line[left..left + inner.len()].copy_from_slice(&channel[inner.clone()]);
                            line[left + inner.len()..].fill(E::zero());
                        }
                        None => line.fill(E::zero()),
                    }
                }
            }
            copy = padded;
            &copy[..]
        };
        let (width, stride) = (self.columns.output, self.columns.stride);
        let step = self.rows.stride * frame.width;
        let [head, whole, tail] = frame.parts;
        let mut rows = 0;
        self.rows_of_the_matrix(&frame, count, |from| {
            let to = &mut out[rows..];
            rows += block.len();
            let mut from = &values[from..];
            if head > 0 {
                copy_line(&from[frame.skipped * stride..], stride, &mut to[..head]);
                from = &from[step.min(from.len())..];
            }
            let (lines, rest) = (&mut to[head..], head + whole * width);
            match width {
                _ if stride > 1 => {
                    for (r, to) in lines.chunks_exact_mut(width).take(whole).enumerate() {
                        copy_line(&from[r * step..], stride, to);
                    }
                }
                0..=4 => copy_lines::<E, 4>(from, step, lines, width, whole),
                5..=8 => copy_lines::<E, 8>(from, step, lines, width, whole),
                9..=16 => copy_lines::<E, 16>(from, step, lines, width, whole),
                17..=32 => copy_lines::<E, 32>(from, step, lines, width, whole),
                _ => copy_lines::<E, 0>(from, step, lines, width, whole),
            }
            if tail > 0 {
                copy_line(&from[whole * step..], stride, &mut to[rest..rest + tail]);
            }
        });
    }

    /// Adds a block of the matrix to the elements that it came from.
    fn fold<E: Element>(&self, block: &Range<usize>, matrix: &[E], channels: &mut [E]) {
        let frame = self.frame(block);
        let count = channels.len() / self.area_in();
        if let Some(start) = frame.start {
            return self.fold_into(&frame, count, matrix, block.len(), &mut channels[start..]);
        }
        let mut sums = Buffer::filled(count * frame.channel, E::zero());
        self.fold_into(&frame, count, matrix, block.len(), sums.fresh());
        let mut lines = sums.chunks_exact(frame.width);
        for channel in channels.chunks_exact_mut(self.area_in()) {
            for row in frame.rows.clone() {
                let line = lines.next().expect("a line for each row");
                if let Some((left, inner)) = self.inner(&frame, row) {
                    add_line(&line[left..], &mut channel[inner], 1);
                }
            }
        }
    }

    /// Adds a block of the matrix, of `columns` columns, to the rows of `channels` channels that it came from.
    fn fold_into<E: Element>(
        &self,
        frame: &Frame,
        channels: usize,
        matrix: &[E],
        columns: usize,
        sums: &mut [E],
    ) {
        let (width, stride) = (self.columns.output, self.columns.stride);
        let step = self.rows.stride * frame.width;
        let [head, whole, tail] = frame.parts;
        let mut rows = matrix.chunks_exact(columns);
        self.rows_of_the_matrix(frame, channels, |mut to| {
            let (first, rest) = rows.next().expect("a row for each").split_at(head);
            if head > 0 {
                add_line(first, &mut sums[to + frame.skipped * stride..], stride);
                to += step;
            }
            let (lines, last) = rest.split_at(whole * width);
            for line in lines.chunks_exact(width) {
                add_line(line, &mut sums[to..], stride);
                to += step;
            }
            if tail > 0 {
                add_line(last, &mut sums[to..], stride);
            }
        });
    }

    /// What lies under the kernel at the places in `block`.
    fn frame(&self, block: &Range<usize>) -> Frame {
        let width = self.columns.output;
        let places = block.start / width..block.end.div_ceil(width);
        let skipped = block.start - places.start * width;
        let head = if skipped > 0 {
            (width - skipped).min(block.len())
        } else {
            0
        };
        let whole = (block.len() - head) / width;
        let parts = [head, whole, block.len() - head - whole * width];
        let (rows, columns) = (self.rows.reach(places), self.columns.reach(0..width));
        let inside = |under: &Range<usize>, sweep: &Sweep| {
            under.start >= sweep.before && under.end <= sweep.before + sweep.input
        };
        let (start, width, channel) =
            if inside(&rows, &self.rows) && inside(&columns, &self.columns) {
                let width = self.columns.input;
                (
                    Some((rows.start - self.rows.before) * width),
                    width,
                    self.area_in(),
                )
            } else {
                (None, columns.len(), rows.len() * columns.len())
            };
        Frame {
            rows,
            width,
            channel,
            start,
            skipped,
            parts,
        }
    }

    /// The elements of a channel that stand in row `row` of the frame's copy, and how many of the padding stand
    /// before them; nothing if the row is padding.
    fn inner(&self, frame: &Frame, row: usize) -> Option<(usize, Range<usize>)> {
        let row = row.checked_sub(self.rows.before)?;
        let width = self.columns.input;
        let left = self.columns.before.min(frame.width);
        let len = width.min(frame.width - left);
        (row < self.rows.input).then_some((left, row * width..row * width + len))
    }
}

/// The rows of each channel that a block of the matrix is made of: a part of the channel if they are without padding,
/// otherwise a copy with it.
struct Frame {
    /// The rows, counted from the first of the padding.
    rows: Range<usize>,
    /// Elements from a row to the next.
    width: usize,
    /// Elements from a channel to the next.
    channel: usize,
    /// Where in the channels they start; nothing if they are a copy.
    start: Option<usize>,
    /// Places of the first row of the output before the block.
    skipped: usize,
    /// The block's part of a row of the output, its whole rows, and its part of another.
    parts: [usize; 3],
}

/// Every `stride`-th element, as many as `to` takes.
fn copy_line<E: Element>(from: &[E], stride: usize, to: &mut [E]) {
    if stride == 1 {
        return to.copy_from_slice(&from[..to.len()]);
    }
    for (to, &x) in to.iter_mut().zip(from.iter().step_by(stride)) {
        *to = x;
    }
}

/// Adds a line to every `stride`-th element of `to`.
fn add_line<E: Element>(line: &[E], to: &mut [E], stride: usize) {
    if stride == 1 {
        for (sum, &g) in to.iter_mut().zip(line) {
            *sum += g;
        }
    } else {
        for (sum, &g) in to.iter_mut().step_by(stride).zip(line) {
            *sum += g;
        }
    }
}

/// Copies `count` lines of `len` elements, which are `step` apart, to one place after the other: `N` elements at once
/// where there is room, as the call of a routine for a few would take longer than the copy. What is written behind a
/// line is overwritten by the next.
fn copy_lines<E: Element, const N: usize>(
    from: &[E],
    step: usize,
    to: &mut [E],
    len: usize,
    count: usize,
) {
    // Lines from whose start on there are `N` elements in both.
    let lines = |values: usize, step: usize| match values.checked_sub(N) {
        Some(room) if N > 0 => room / step + 1,
        _ => 0,
    };
    let fast = count.min(lines(from.len(), step)).min(lines(to.len(), len));
    for i in 0..fast {
        let line: [E; N] = *from[i * step..].first_chunk().expect("as counted");
        *to[i * len..].first_chunk_mut().expect("as counted") = line;
    }
    for i in fast..count {
        to[i * len..][..len].copy_from_slice(&from[i * step..][..len]);
    }
}

/// The columns of the matrix, in blocks.
struct Blocks {
    len: usize,
    count: usize,
    all: usize,
}

impl Blocks {
    fn range(&self, i: usize) -> Range<usize> {
        (i * self.len).min(self.all)..((i + 1) * self.len).min(self.all)
    }
}

/// Columns `block` of a matrix of `columns` columns.
fn columns<'a, E>(values: &'a [E], columns: usize, block: &Range<usize>) -> Operand<'a, E> {
    Operand {
        values: &values[block.start..],
        row: columns,
        column: 1,
    }
}

/// The convolution: `x` has `groups · inputs` channels an image, the result `groups · outputs`.
pub(crate) fn conv<E: Element>(conv: &Conv, x: &[E], weight: &[E]) -> Buffer<E> {
    let (depth, area) = (conv.depth(), conv.area_out());
    if depth == 0 || conv.area_in() == 0 {
        return Buffer::filled(conv.output_len(), E::zero());
    }
    if conv.slides::<E>() {
        return slide::conv(conv, x, weight, conv.work());
    }
    let mut out = Buffer::dirty(conv.output_len());
    if out.is_empty() {
        return out;
    }
    let blocks = conv.blocks(depth);
    let (plane, image) = (conv.outputs * area, conv.inputs * conv.area_in());
    let parts = Parts::new(out.fresh());
    parallel::for_each(conv.items() * blocks.count, conv.work(), &|task| {
        let (item, block) = (task / blocks.count, blocks.range(task % blocks.count));
        let x = &x[item * image..][..image];
        let weight = &weight[item % conv.groups * conv.outputs * depth..][..conv.outputs * depth];
        let size = Size {
            m: conv.outputs,
            k: depth,
            n: block.len(),
        };
        let mut matrix = Buffer::dirty(if conv.is_plain() {
            0
        } else {
            depth * block.len()
        });
        let right = if conv.is_plain() {
            columns(x, area, &block)
        } else {
            conv.unfold(x, &block, matrix.fresh());
            Operand::plain(&matrix, block.len())
        };
        let left = Operand::plain(weight, depth);
        if blocks.count == 1 {
            // SAFETY: each item runs once, and the outputs of different items do not overlap.
            let out = unsafe { parts.part(item * plane..(item + 1) * plane) };
            return E::gemm(size, left, right, false, out);
        }
        let mut product = Buffer::dirty(size.m * size.n);
        E::gemm(size, left, right, false, product.fresh());
        for (o, row) in product.chunks_exact(size.n).enumerate() {
            let start = item * plane + o * area;
            // SAFETY: each item and block runs once, and their outputs do not overlap.
            let out = unsafe { parts.part(start + block.start..start + block.end) };
            out.copy_from_slice(row);
        }
    });
    out
}

/// The gradient of the input, given that of the output; and what a transposed convolution computes.
pub(crate) fn conv_input_grad<E: Element>(conv: &Conv, grad: &[E], weight: &[E]) -> Buffer<E> {
    let (depth, area, kernel) = (conv.depth(), conv.area_out(), conv.kernel());
    if conv.input_len() == 0 || conv.outputs * area == 0 {
        return Buffer::filled(conv.input_len(), E::zero());
    }
    if conv.slides_back::<E>() {
        return slide::conv_input_grad(conv, grad, weight, conv.work());
    }
    let mut out = Buffer::filled(conv.input_len(), E::zero());
    let (plane, image) = (conv.outputs * area, conv.inputs * conv.area_in());
    let each = conv.channels_at_once();
    let chunks = conv.inputs.div_ceil(each);
    let blocks = conv.blocks(each * kernel);
    let parts = Parts::new(out.fresh());
    parallel::for_each(conv.items() * chunks, conv.work(), &|task| {
        let (item, first) = (task / chunks, task % chunks * each);
        let channels = each.min(conv.inputs - first);
        let weight = &weight[item % conv.groups * conv.outputs * depth..][..conv.outputs * depth];
        let grad = &grad[item * plane..][..plane];
        let start = item * image + first * conv.area_in();
        // SAFETY: each item and chunk of channels runs once, and they do not overlap.
        let out = unsafe { parts.part(start..start + channels * conv.area_in()) };
        let left = Operand::transposed(weight, depth).skip_rows(first * kernel);
        let size = |n| Size {
            m: channels * kernel,
            k: conv.outputs,
            n,
        };
        if conv.is_plain() {
            return E::gemm(size(area), left, Operand::plain(grad, area), false, out);
        }
        let mut matrix = Buffer::dirty(channels * kernel * blocks.len);
        for i in 0..blocks.count {
            let block = blocks.range(i);
            let matrix = &mut matrix.fresh()[..channels * kernel * block.len()];
            let right = columns(grad, area, &block);
            E::gemm(size(block.len()), left, right, false, matrix);
            conv.fold(&block, matrix, out);
        }
    });
    out
}

/// The gradient of the weight, given that of the output.
pub(crate) fn conv_weight_grad<E: Element>(conv: &Conv, x: &[E], grad: &[E]) -> Buffer<E> {
    let (depth, area, kernel) = (conv.depth(), conv.area_out(), conv.kernel());
    let len = conv.weight_len();
    if len == 0 || conv.images * area == 0 || conv.area_in() == 0 {
        return Buffer::filled(len, E::zero());
    }
    if conv.is_direct() {
        return slide::conv_weight_grad(conv, x, grad, conv.work());
    }
    let (plane, image) = (conv.outputs * area, conv.inputs * conv.area_in());
    let each = conv.channels_at_once();
    let chunks = conv.inputs.div_ceil(each);
    let blocks = conv.blocks(each * kernel);
    // The images' blocks are dealt out to so many sums, which are added up at the end.
    let shares = conv.images * blocks.count;
    let sums = shares.min(SUMS).min((MAX_SUMS / len).max(1));
    let mut parts_of = Buffer::dirty(sums * len);
    let parts = Parts::new(parts_of.fresh());
    parallel::for_each(conv.groups * chunks * sums, conv.work(), &|task| {
        let (sum, rest) = (task % sums, task / sums);
        let (group, first) = (rest / chunks, rest % chunks * each);
        let channels = each.min(conv.inputs - first);
        let mut matrix = Buffer::dirty(if conv.is_plain() {
            0
        } else {
            channels * kernel * blocks.len
        });
        let mut total = Buffer::dirty(conv.outputs * channels * kernel);
        let mut add = false;
        for share in sum * shares / sums..(sum + 1) * shares / sums {
            let (item, block) = (
                share / blocks.count * conv.groups + group,
                blocks.range(share % blocks.count),
            );
            let x = &x[item * image + first * conv.area_in()..][..channels * conv.area_in()];
            let right = if conv.is_plain() {
                Operand::transposed(&x[block.start..], area)
            } else {
                let matrix = &mut matrix.fresh()[..channels * kernel * block.len()];
                conv.unfold(x, &block, matrix);
                Operand::transposed(matrix, block.len())
            };
            let left = columns(&grad[item * plane..][..plane], area, &block);
            let size = Size {
                m: conv.outputs,
                k: block.len(),
                n: channels * kernel,
            };
            E::gemm(size, left, right, add, total.fresh());
            add = true;
        }
        for (o, row) in total.chunks_exact(channels * kernel).enumerate() {
            let start = sum * len + (group * conv.outputs + o) * depth + first * kernel;
            // SAFETY: each sum, group and chunk of channels runs once, and they do not overlap.
            let out = unsafe { parts.part(start..start + row.len()) };
            out.copy_from_slice(row);
        }
    });
    if sums == 1 {
        return parts_of;
    }
    let (first, others) = parts_of.fresh().split_at_mut(len);
    for other in others.chunks_exact(len) {
        for (sum, &part) in first.iter_mut().zip(other) {
            *sum += part;
        }
    }
    Buffer::from_slice(first)
}
