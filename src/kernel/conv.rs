//! Convolutions as matrix products: forward, and the gradients of the input and of the weight.
//!
//! For one image and one group, the entries under each place of the kernel are a column of a matrix, and
//! the convolution is weight times matrix (Chellapilla, Puri, Simard 2006). The matrix has as many
//! rows as the kernel has entries, so it is never formed as a whole: only blocks of its columns are,
//! small enough to stay in a cache. A kernel of 1 × 1 needs no such matrix at all.

use super::depthwise;
use super::gemm::{Operand, Size};
use super::parallel::{self, Parts};
use crate::element::Element;
use crate::shape::{Conv, Sweep};
use crate::storage::Buffer;
use std::ops::Range;

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
        // Blocks of one size, rather than a last one of a few columns.
        let count = self.area_out().div_ceil(len);
        Blocks {
            len: self.area_out().div_ceil(count.max(1)),
            count,
            all: self.area_out(),
        }
    }

    /// Input channels that the gradients work on at once.
    fn channels_at_once(&self) -> usize {
        (ROWS / self.kernel().max(1)).clamp(1, self.inputs.max(1))
    }

    /// Calls `each` with the runs of one row of the matrix, for the columns in `block`: where the run
    /// starts in the block, its length, and the input's element under its first column; none in padding.
    fn runs(
        &self,
        (i, j): (usize, usize),
        block: &Range<usize>,
        mut each: impl FnMut(usize, usize, Option<usize>),
    ) {
        let width = self.columns.output;
        let (rows, columns) = (self.rows.inside(i), self.columns.inside(j));
        let mut column = block.start;
        while column < block.end {
            let (row, start) = (column / width, column % width);
            let end = width.min(start + block.end - column);
            let at = column - block.start;
            if rows.contains(&row) {
                let from = columns.start.clamp(start, end);
                let to = columns.end.clamp(from, end);
                if from > start {
                    each(at, from - start, None);
                }
                if to > from {
                    let first =
                        self.rows.at(row, i) * self.columns.input + self.columns.at(from, j);
                    each(at + from - start, to - from, Some(first));
                }
                if end > to {
                    each(at + to - start, end - to, None);
                }
            } else {
                each(at, end - start, None);
            }
            column += end - start;
        }
    }

    /// The block of the matrix: for each of `channels` and each entry of the kernel, what lies under it.
    fn unfold<E: Element>(&self, channels: &[E], block: &Range<usize>, out: &mut [E]) {
        let stride = self.columns.stride;
        let mut rows = out.chunks_exact_mut(block.len());
        for channel in channels.chunks_exact(self.area_in()) {
            for i in 0..self.rows.kernel {
                for j in 0..self.columns.kernel {
                    let row = rows.next().expect("a row for each entry of the kernel");
                    self.runs((i, j), block, |at, len, from| {
                        let out = &mut row[at..at + len];
                        match from {
                            None => out.fill(E::zero()),
                            Some(from) if stride == 1 => {
                                out.copy_from_slice(&channel[from..from + len])
                            }
                            Some(from) => {
                                for (out, &x) in
                                    out.iter_mut().zip(channel[from..].iter().step_by(stride))
                                {
                                    *out = x;
                                }
                            }
                        }
                    });
                }
            }
        }
    }

    /// Adds a block of the matrix to the elements that it came from.
    fn fold<E: Element>(&self, block: &Range<usize>, matrix: &[E], channels: &mut [E]) {
        let stride = self.columns.stride;
        let mut rows = matrix.chunks_exact(block.len());
        for channel in channels.chunks_exact_mut(self.area_in()) {
            for i in 0..self.rows.kernel {
                for j in 0..self.columns.kernel {
                    let row = rows.next().expect("a row for each entry of the kernel");
                    self.runs((i, j), block, |at, len, to| {
                        let Some(to) = to else { return };
                        let row = &row[at..at + len];
                        if stride == 1 {
                            for (sum, &g) in channel[to..to + len].iter_mut().zip(row) {
                                *sum += g;
                            }
                        } else {
                            for (sum, &g) in channel[to..].iter_mut().step_by(stride).zip(row) {
                                *sum += g;
                            }
                        }
                    });
                }
            }
        }
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
    if conv.is_direct() {
        return depthwise::conv(conv, x, weight, conv.work());
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
            return E::gemm(size, left, right, E::zero(), out);
        }
        let mut product = Buffer::dirty(size.m * size.n);
        E::gemm(size, left, right, E::zero(), product.fresh());
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
    if conv.is_direct() {
        return depthwise::conv_input_grad(conv, grad, weight, conv.work());
    }
    let mut out = Buffer::filled(conv.input_len(), E::zero());
    if out.is_empty() || conv.outputs * area == 0 {
        return out;
    }
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
            return E::gemm(size(area), left, Operand::plain(grad, area), E::zero(), out);
        }
        let mut matrix = Buffer::dirty(channels * kernel * blocks.len);
        for i in 0..blocks.count {
            let block = blocks.range(i);
            let matrix = &mut matrix.fresh()[..channels * kernel * block.len()];
            let right = columns(grad, area, &block);
            E::gemm(size(block.len()), left, right, E::zero(), matrix);
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
        return depthwise::conv_weight_grad(conv, x, grad, conv.work());
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
        let mut beta = E::zero();
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
            E::gemm(size, left, right, beta, total.fresh());
            beta = E::one();
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
