//! Convolutions whose groups have one input channel each, straight from their definition.
//!
//! As matrix products they would have too few rows or columns to be worth the copies that make the matrix. Here a
//! plane is copied once, with its padding, and the columns that a stride skips moved together: then each
//! entry of the kernel meets a row of the output in a run of the copy.

use super::parallel::{self, Parts};
use super::wide::widest;
use crate::element::Element;
use crate::shape::{Conv, Sweep};
use crate::storage::Buffer;

/// Entries of the kernel that are multiplied at a time, while a row of the output is read and written once.
const TAPS: usize = 9;
/// The same for kernels, and ends of kernels, with fewer entries.
const FEW_TAPS: usize = 3;
/// Sums that a weight's gradient is collected in, so that several products are added at a time.
const LANES: usize = 16;

/// Numbers of planes and of what is in them.
struct Sizes {
    /// Elements of a plane of the input, and of all planes of the output made of it.
    input: usize,
    output: usize,
    /// Entries of the kernels that one input meets.
    weight: usize,
    /// Planes of the input.
    items: usize,
    /// Planes that one task works on.
    each: usize,
    tasks: usize,
}

impl Sizes {
    fn of(conv: &Conv) -> Sizes {
        let input = conv.rows.input * conv.columns.input;
        let output = conv.rows.output * conv.columns.output * conv.outputs;
        let items = conv.images * conv.groups;
        let each = (parallel::CHUNK / input.max(output).max(1)).max(1);
        Sizes {
            input,
            output,
            weight: conv.rows.kernel * conv.columns.kernel * conv.outputs,
            items,
            each,
            tasks: items.div_ceil(each),
        }
    }
}

/// The copy of a plane.
struct Copy {
    /// Elements of a row, all the columns that a stride takes to one another in a run of so many.
    row: usize,
    run: usize,
    /// Elements in all.
    len: usize,
    /// Elements from a row of the output to the next.
    step: usize,
    /// Where each entry of the kernel meets the first place of a row.
    offsets: Vec<usize>,
}

impl Copy {
    fn of(rows: &Sweep, columns: &Sweep) -> Copy {
        let run = columns.extent().div_ceil(columns.stride);
        let row = run * columns.stride;
        let mut offsets = Vec::with_capacity(rows.kernel * columns.kernel);
        for k in 0..rows.kernel {
            for l in 0..columns.kernel {
                let at = l * columns.dilation;
                offsets.push(
                    k * rows.dilation * row + at % columns.stride * run + at / columns.stride,
                );
            }
        }
        Copy {
            row,
            run,
            len: row * rows.extent(),
            step: rows.stride * row,
            offsets,
        }
    }
}

impl Sweep {
    /// Entries of the axis and its padding that some window lies over.
    fn extent(&self) -> usize {
        (self.output - 1) * self.stride + self.dilation * (self.kernel - 1) + 1
    }
}

/// The convolution.
pub(super) fn conv<E: Element>(conv: &Conv, x: &[E], weight: &[E], work: usize) -> Buffer<E> {
    let sizes = Sizes::of(conv);
    let mut out = Buffer::dirty(sizes.items * sizes.output);
    if out.is_empty() {
        return out;
    }
    let parts = Parts::new(out.fresh());
    let copy = Copy::of(&conv.rows, &conv.columns);
    parallel::for_each(sizes.tasks, work, &|task| {
        let mut plane = vec![E::zero(); copy.len];
        for item in task * sizes.each..((task + 1) * sizes.each).min(sizes.items) {
            // SAFETY: each item runs once, and the outputs of different items do not overlap.
            let out = unsafe { parts.part(item * sizes.output..(item + 1) * sizes.output) };
            let x = &x[item * sizes.input..][..sizes.input];
            let weight = &weight[item % conv.groups * sizes.weight..][..sizes.weight];
            forward(conv, &copy, x, weight, &mut plane, out);
        }
    });
    out
}

/// The gradient of the input.
pub(super) fn conv_input_grad<E: Element>(
    conv: &Conv,
    grad: &[E],
    weight: &[E],
    work: usize,
) -> Buffer<E> {
    let sizes = Sizes::of(conv);
    let mut out = Buffer::filled(sizes.items * sizes.input, E::zero());
    if out.is_empty() || sizes.output == 0 {
        return out;
    }
    let parts = Parts::new(out.fresh());
    let copy = Copy::of(&conv.rows, &conv.columns);
    parallel::for_each(sizes.tasks, work, &|task| {
        let mut plane = vec![E::zero(); copy.len];
        for item in task * sizes.each..((task + 1) * sizes.each).min(sizes.items) {
            // SAFETY: each item runs once, and the inputs of different items do not overlap.
            let out = unsafe { parts.part(item * sizes.input..(item + 1) * sizes.input) };
            let grad = &grad[item * sizes.output..][..sizes.output];
            let weight = &weight[item % conv.groups * sizes.weight..][..sizes.weight];
            backward(conv, &copy, grad, weight, &mut plane, out);
        }
    });
    out
}

/// The gradient of the weight.
pub(super) fn conv_weight_grad<E: Element>(
    conv: &Conv,
    x: &[E],
    grad: &[E],
    work: usize,
) -> Buffer<E> {
    let sizes = Sizes::of(conv);
    let mut out = Buffer::dirty(conv.groups * sizes.weight);
    let copy = Copy::of(&conv.rows, &conv.columns);
    let each_group = sizes.weight;
    parallel::rows(
        out.fresh(),
        each_group.max(1),
        work,
        &|start: usize, out: &mut [E]| {
            let group = start / each_group;
            let mut plane = vec![E::zero(); copy.len];
            let mut sums = vec![[E::zero(); LANES]; each_group];
            for item in (0..conv.images).map(|image| image * conv.groups + group) {
                let x = &x[item * sizes.input..][..sizes.input];
                let grad = &grad[item * sizes.output..][..sizes.output];
                of_weight(conv, &copy, x, grad, &mut plane, &mut sums);
            }
            for (out, sums) in out.iter_mut().zip(&mut sums) {
                // The second half is added to the first, until one is left.
                let mut lanes = LANES;
                while lanes > 1 {
                    lanes /= 2;
                    for lane in 0..lanes {
                        let other = sums[lane + lanes];
                        sums[lane] += other;
                    }
                }
                *out = sums[0];
            }
        },
    );
    out
}

widest! {
    /// The planes of the output that one of the input makes.
    fn forward<E>(conv: &Conv, copy: &Copy, x: &[E], weight: &[E], plane: &mut [E], out: &mut [E]) = forward_of;
    /// What the planes of the output pass on to the one of the input.
    fn backward<E>(conv: &Conv, copy: &Copy, grad: &[E], weight: &[E], plane: &mut [E], out: &mut [E]) = backward_of;
    /// Adds to the sums of each entry of the kernel the products of what it has made.
    fn of_weight<E>(conv: &Conv, copy: &Copy, x: &[E], grad: &[E], plane: &mut [E], sums: &mut [[E; LANES]]) = of_weight_of;
}

/// Copies between rows of the input and rows of the copy: `each` is handed a run of a row of the one, where it starts,
/// and where it starts in the other. Both have as many entries, those of the first a stride apart.
#[inline(always)]
fn runs(rows: &Sweep, columns: &Sweep, copy: &Copy, mut each: impl FnMut(usize, usize, usize)) {
    let stride = columns.stride;
    for r in 0..rows.input.min(rows.extent().saturating_sub(rows.before)) {
        for phase in 0..stride {
            // The first column that comes to this run, and its place there.
            let first = (phase + stride - columns.before % stride) % stride;
            let place = (first + columns.before) / stride;
            let len = columns.input.saturating_sub(first).div_ceil(stride);
            let len = len.min(copy.run.saturating_sub(place));
            if len > 0 {
                let to = (r + rows.before) * copy.row + phase * copy.run + place;
                each(r * columns.input + first, to, len);
            }
        }
    }
}

#[inline(always)]
fn fill<E: Element>(conv: &Conv, copy: &Copy, x: &[E], plane: &mut [E]) {
    let stride = conv.columns.stride;
    // What is padding is 0 from the start, and stays it.
    runs(&conv.rows, &conv.columns, copy, |from, to, len| {
        let to = &mut plane[to..to + len];
        if stride == 1 {
            to.copy_from_slice(&x[from..from + len]);
        } else {
            for (to, &x) in to.iter_mut().zip(x[from..].iter().step_by(stride)) {
                *to = x;
            }
        }
    });
}

#[inline(always)]
fn forward_of<E: Element>(
    conv: &Conv,
    copy: &Copy,
    x: &[E],
    weight: &[E],
    plane: &mut [E],
    out: &mut [E],
) {
    fill(conv, copy, x, plane);
    let kernel = copy.offsets.len();
    let width = conv.columns.output;
    for (o, out) in out.chunks_exact_mut(width).enumerate() {
        let (o, i) = (o / conv.rows.output, o % conv.rows.output);
        let (weight, lines) = (&weight[o * kernel..][..kernel], &plane[i * copy.step..]);
        out.fill(E::zero());
        let (many, weight_rest) = weight.as_chunks::<TAPS>();
        let (many_at, at_rest) = copy.offsets.as_chunks::<TAPS>();
        for (weight, at) in many.iter().zip(many_at) {
            add_taps(weight, at, lines, out);
        }
        let (few, weight_rest) = weight_rest.as_chunks::<FEW_TAPS>();
        let (few_at, at_rest) = at_rest.as_chunks::<FEW_TAPS>();
        for (weight, at) in few.iter().zip(few_at) {
            add_taps(weight, at, lines, out);
        }
        for (&weight, &at) in weight_rest.iter().zip(at_rest) {
            add_taps(&[weight], &[at], lines, out);
        }
    }
}

/// Adds to each entry of `out` the products of `T` entries of the kernel.
#[inline(always)]
fn add_taps<E: Element, const T: usize>(
    weight: &[E; T],
    at: &[usize; T],
    lines: &[E],
    out: &mut [E],
) {
    let mut lines: [&[E]; T] = std::array::from_fn(|t| &lines[at[t]..][..out.len()]);
    let rest = add_blocks::<E, T, 16>(weight, &mut lines, out);
    let rest = add_blocks::<E, T, 8>(weight, &mut lines, rest);
    let rest = add_blocks::<E, T, 4>(weight, &mut lines, rest);
    add_blocks::<E, T, 1>(weight, &mut lines, rest);
}

/// The same in blocks of `N`; what is left over of `lines` and `out`.
#[inline(always)]
fn add_blocks<'a, E: Element, const T: usize, const N: usize>(
    weight: &[E; T],
    lines: &mut [&[E]; T],
    out: &'a mut [E],
) -> &'a mut [E] {
    let (whole, rest) = out.as_chunks_mut::<N>();
    let whole_lines: [&[[E; N]]; T] =
        std::array::from_fn(|t| &lines[t].as_chunks().0[..whole.len()]);
    for (n, out) in whole.iter_mut().enumerate() {
        let mut sums = *out;
        for t in 0..T {
            let line = &whole_lines[t][n];
            for i in 0..N {
                sums[i] += weight[t] * line[i];
            }
        }
        *out = sums;
    }
    let done = whole.len() * N;
    for line in lines {
        *line = &line[done..];
    }
    rest
}

#[inline(always)]
fn backward_of<E: Element>(
    conv: &Conv,
    copy: &Copy,
    grad: &[E],
    weight: &[E],
    plane: &mut [E],
    out: &mut [E],
) {
    let kernel = copy.offsets.len();
    let width = conv.columns.output;
    plane.fill(E::zero());
    for (o, grad) in grad.chunks_exact(width).enumerate() {
        let (o, i) = (o / conv.rows.output, o % conv.rows.output);
        let lines = &mut plane[i * copy.step..];
        for (&weight, &at) in weight[o * kernel..][..kernel].iter().zip(&copy.offsets) {
            for (sum, &g) in lines[at..at + width].iter_mut().zip(grad) {
                *sum += weight * g;
            }
        }
    }
    let stride = conv.columns.stride;
    runs(&conv.rows, &conv.columns, copy, |to, from, len| {
        let from = &plane[from..from + len];
        if stride == 1 {
            out[to..to + len].copy_from_slice(from);
        } else {
            for (to, &g) in out[to..].iter_mut().step_by(stride).zip(from) {
                *to = g;
            }
        }
    });
}

#[inline(always)]
fn of_weight_of<E: Element>(
    conv: &Conv,
    copy: &Copy,
    x: &[E],
    grad: &[E],
    plane: &mut [E],
    sums: &mut [[E; LANES]],
) {
    fill(conv, copy, x, plane);
    let kernel = copy.offsets.len();
    let width = conv.columns.output;
    for (o, grad) in grad.chunks_exact(width).enumerate() {
        let (o, i) = (o / conv.rows.output, o % conv.rows.output);
        let lines = &plane[i * copy.step..];
        let (few, rest) = sums[o * kernel..][..kernel].as_chunks_mut::<FEW_TAPS>();
        let (few_at, at_rest) = copy.offsets.as_chunks::<FEW_TAPS>();
        for (sums, at) in few.iter_mut().zip(few_at) {
            add_products(sums, at, lines, grad);
        }
        for (sums, &at) in rest.iter_mut().zip(at_rest) {
            add_products(
                std::slice::from_mut(sums)
                    .first_chunk_mut::<1>()
                    .expect("one"),
                &[at],
                lines,
                grad,
            );
        }
    }
}

/// Adds to the sums of `T` entries of the kernel the products along a row.
#[inline(always)]
fn add_products<E: Element, const T: usize>(
    sums: &mut [[E; LANES]; T],
    at: &[usize; T],
    lines: &[E],
    grad: &[E],
) {
    let mut all = *sums;
    let lines: [&[E]; T] = std::array::from_fn(|t| &lines[at[t]..][..grad.len()]);
    let (whole, rest) = grad.as_chunks::<LANES>();
    let whole_lines: [&[[E; LANES]]; T] = std::array::from_fn(|t| lines[t].as_chunks().0);
    for (n, grad) in whole.iter().enumerate() {
        for t in 0..T {
            let line = &whole_lines[t][n];
            for lane in 0..LANES {
                all[t][lane] += grad[lane] * line[lane];
            }
        }
    }
    let done = grad.len() - rest.len();
    for t in 0..T {
        for ((sum, &g), &x) in all[t].iter_mut().zip(rest).zip(&lines[t][done..]) {
            *sum += g * x;
        }
    }
    *sums = all;
}
