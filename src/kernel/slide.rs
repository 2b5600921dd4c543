//! Convolutions straight from their definition, without a matrix of what lies under the kernel.
//!
//! Channels are copied with their padding. Rows and columns that a stride takes to one another move together in the
//! copy, so that an entry of the kernel meets a row of the output in a run of it, whatever the stride: `window` has the
//! loops over such runs. The gradient of the input is a convolution too, of the gradient of the output: with a stride,
//! one for each of the places that the input's entries can have between two steps, with the entries of the kernel
//! that reach them.

use super::parallel;
use super::window::{Copy, Join, Kernels, Place, Products, TAPS, Tile};
use crate::element::Element;
use crate::shape::{Conv, Sweep};
use crate::storage::Buffer;
use std::ops::Range;

/// Elements of a copy: 512 KiB of `f32`, which a core's second cache holds.
const BLOCK: usize = 1 << 17;
/// Entries of the kernel, in all channels, whose weights are met by all places before others are: what they are of a
/// few hundred channels stays in the second cache.
const DEPTH: usize = 640;

/// An axis of the copy.
struct Line {
    /// Entries of the axis that is copied, and where its first lies among those of the copy, padding included.
    input: usize,
    before: isize,
    /// Entries that are so far apart lie side by side, in as many runs.
    stride: usize,
    run: usize,
}

impl Line {
    /// Where in its run a run's first entry of the axis lies, which entry that is, and how many there are.
    fn inner(&self, phase: usize) -> (usize, usize, usize) {
        let (stride, phase) = (self.stride as isize, phase as isize);
        let place = (self.before - phase + stride - 1).div_euclid(stride).max(0);
        let first = (place * stride + phase - self.before) as usize;
        let len = self.input.saturating_sub(first).div_ceil(self.stride);
        (
            place as usize,
            first,
            len.min(self.run.saturating_sub(place as usize)),
        )
    }

    /// Where entry `at` lies, padding included: its run, and the place there.
    fn at(&self, at: usize) -> (usize, usize) {
        (at % self.stride, at / self.stride)
    }
}

/// The copy of a channel, or of some of its rows.
struct Plane {
    rows: Line,
    columns: Line,
}

impl Plane {
    /// What lies under the kernel at some rows of the output.
    fn under(conv: &Conv, places: Range<usize>) -> Plane {
        let line = |sweep: &Sweep, places: Range<usize>| Line {
            input: sweep.input,
            before: sweep.before as isize - (places.start * sweep.stride) as isize,
            stride: sweep.stride,
            run: sweep.extent(places.len()).div_ceil(sweep.stride),
        };
        Plane {
            rows: line(&conv.rows, places),
            columns: line(&conv.columns, 0..conv.columns.output),
        }
    }

    /// Where each entry of the kernel, channel by channel, meets the first place.
    fn offsets(&self, conv: &Conv) -> Vec<usize> {
        let (rows, columns) = (&conv.rows, &conv.columns);
        let mut offsets = Vec::with_capacity(conv.inputs * rows.kernel * columns.kernel);
        for channel in 0..conv.inputs {
            for k in 0..rows.kernel {
                for l in 0..columns.kernel {
                    let at = self.at(k * rows.dilation, l * columns.dilation);
                    offsets.push(channel * self.len() + at);
                }
            }
        }
        offsets
    }

    fn len(&self) -> usize {
        self.rows.stride * self.rows.run * self.columns.stride * self.columns.run
    }

    /// Where entry (`row`, `column`) of the channel lies, padding included.
    fn at(&self, row: usize, column: usize) -> usize {
        let ((i, row), (j, column)) = (self.rows.at(row), self.columns.at(column));
        ((i * self.columns.stride + j) * self.rows.run + row) * self.columns.run + column
    }

    /// Copies channels, one behind the other. What is padding is 0 from the start, and stays it.
    fn fill<E: Element>(&self, kernels: &Kernels<E>, channels: &[E], copies: &mut [E]) {
        let area = self.rows.input * self.columns.input;
        for (channel, copy) in channels
            .chunks_exact(area)
            .zip(copies.chunks_exact_mut(self.len()))
        {
            let runs = copy.chunks_exact_mut(self.rows.run * self.columns.run);
            for (phase, to) in runs.enumerate() {
                let (row, first_row, lines) = self.rows.inner(phase / self.columns.stride);
                let (column, first, len) = self.columns.inner(phase % self.columns.stride);
                if lines * len == 0 {
                    continue;
                }
                let from = &channel[first_row * self.columns.input + first..];
                let from_line = self.rows.stride * self.columns.input;
                let to = &mut to[row * self.columns.run + column..];
                assert!((lines - 1) * from_line + (len - 1) * self.columns.stride < from.len());
                assert!((lines - 1) * self.columns.run + len <= to.len());
                let copy = Copy {
                    lines,
                    len,
                    from: from.as_ptr(),
                    from_line,
                    stride: self.columns.stride,
                    to: to.as_mut_ptr(),
                    to_line: self.columns.run,
                };
                // SAFETY: the kernels are this processor's; all lies inside the slices (checked).
                unsafe { (kernels.copy)(&copy) };
            }
        }
    }
}

impl Sweep {
    /// Entries of the axis and its padding that lie under the kernel at `places` places.
    fn extent(&self, places: usize) -> usize {
        (places - 1) * self.stride + self.dilation * (self.kernel - 1) + 1
    }

    /// How many entries of the axis lie at a place between two steps of the kernel.
    fn share(&self, phase: usize) -> usize {
        self.input.saturating_sub(phase).div_ceil(self.stride)
    }
}

/// Channels of an output, to which several threads write at different places.
struct Output<E> {
    first: *mut E,
    len: usize,
}

// SAFETY: no two threads write to the same place (the contract of `Windows::multiply`).
unsafe impl<E: Send> Sync for Output<E> {}

impl<E> Output<E> {
    fn new(values: &mut [E]) -> Self {
        Output {
            first: values.as_mut_ptr(),
            len: values.len(),
        }
    }
}

/// What is met at some rows of an output, by each entry of the kernel.
struct Windows<E: Element> {
    kernels: &'static Kernels<E>,
    offsets: Vec<usize>,
    /// The places, and some of no extent behind them: the last vectors of a tile.
    places: Vec<Place>,
    count: usize,
    /// How long lines must be for this, and an output for its places.
    reach: usize,
    end: usize,
}

impl<E: Element> Windows<E> {
    /// For so many rows and columns of an output whose rows are `step` apart.
    fn new(
        kernels: &'static Kernels<E>,
        plane: &Plane,
        offsets: Vec<usize>,
        [rows, columns]: [usize; 2],
        step: usize,
    ) -> Self {
        let lanes = kernels.lanes;
        let count = rows * columns.div_ceil(lanes);
        let spare = kernels.tiles.iter().map(|&(_, vectors)| vectors);
        let mut places = Vec::with_capacity(count + spare.max().unwrap_or(0));
        for row in 0..rows {
            for column in (0..columns).step_by(lanes) {
                places.push(Place {
                    from: row * plane.columns.run + column,
                    to: row * step + column,
                    count: lanes.min(columns - column),
                });
            }
        }
        let none = Place {
            from: 0,
            to: 0,
            count: 0,
        };
        places.resize(places.capacity(), none);
        let most = |all: &mut dyn Iterator<Item = usize>| all.max().unwrap_or(0);
        let from = most(&mut places.iter().map(|place| place.from));
        let offset = most(&mut offsets.iter().copied());
        let end = most(&mut places.iter().map(|place| place.to + place.count));
        Windows {
            kernels,
            offsets,
            places,
            count,
            reach: from + offset + lanes,
            end,
        }
    }

    /// Computes at the places the output channels that `weight` has rows for; the first starts at `start`, and one
    /// starts `step` behind the other.
    ///
    /// # Safety
    /// Nobody else reads or writes there meanwhile.
    unsafe fn multiply(
        &self,
        lines: &[E],
        weight: &[E],
        out: &Output<E>,
        [start, step]: [usize; 2],
    ) {
        let tiles = self.kernels.tiles;
        let (depth, count) = (self.offsets.len(), self.count);
        let channels = weight.len() / depth.max(1);
        if channels * count == 0 {
            return;
        }
        assert!(self.reach <= lines.len() && start + (channels - 1) * step + self.end <= out.len);
        let tall = channels.div_ceil(channels.div_ceil(tiles.len()));
        let even = channels / tall * tall;
        // What the places of a tile meet stays in the first cache while all channels are computed.
        let panel = if channels > tall {
            tiles[tall - 1].1
        } else {
            count
        };
        for first_tap in (0..depth).step_by(DEPTH) {
            let compute = |channel: usize, rows: usize, places: Range<usize>| {
                let (compute, vectors) = tiles[rows - 1];
                let tile = Tile {
                    taps: DEPTH.min(depth - first_tap),
                    offsets: self.offsets[first_tap..].as_ptr(),
                    weight: weight[channel * depth + first_tap..].as_ptr(),
                    weight_row: depth,
                    lines: lines.as_ptr(),
                    places: self.places[places.start..].as_ptr(),
                    count: places.len().next_multiple_of(vectors),
                    out: out.first.wrapping_add(start + channel * step),
                    out_row: step,
                    add: first_tap > 0,
                };
                // SAFETY: the kernels are this processor's; what is read and written lies inside the lines and the
                // output (checked), where nobody else writes; there are places enough behind the last.
                unsafe { compute(&tile) };
            };
            for first in (0..count).step_by(panel) {
                for channel in (0..even).step_by(tall) {
                    compute(channel, tall, first..count.min(first + panel));
                }
            }
            if even < channels {
                compute(even, channels - even, 0..count);
            }
        }
    }

    /// Adds to a vector of sums for each entry of the kernel the products of `grad` with what it meets.
    fn add_products(&self, lines: &[E], grad: &[E], sums: &mut [E]) {
        let lanes = self.kernels.lanes;
        assert!(self.reach <= lines.len() && self.end <= grad.len());
        assert_eq!(sums.len(), self.offsets.len() * lanes);
        for (offsets, sums) in self.offsets.chunks(TAPS).zip(sums.chunks_mut(TAPS * lanes)) {
            let products = Products {
                taps: offsets.len(),
                offsets: offsets.as_ptr(),
                grad: grad.as_ptr(),
                lines: lines.as_ptr(),
                places: self.places.as_ptr(),
                count: self.count,
                sums: sums.as_mut_ptr(),
            };
            // SAFETY: the kernels are this processor's; all lies inside the slices (checked).
            unsafe { (self.kernels.products)(&products) };
        }
    }
}

/// Rows of the output that are computed at once, if `reach` says how many rows of the copy so many need, and a row
/// of it has so many elements. There are blocks of them for all threads; what is computed does not depend on it.
fn rows_at_once(
    rows: usize,
    row: usize,
    reach: impl Fn(usize) -> usize,
    [items, work]: [usize; 2],
) -> usize {
    let mut blocks = match parallel::threads(work) {
        1 => 1,
        threads => (2 * threads).div_ceil(items).min(rows),
    };
    while blocks < rows && reach(rows.div_ceil(blocks)) * row > BLOCK {
        blocks += 1;
    }
    rows.div_ceil(blocks)
}

/// True if rows of so many places fill vectors well, and a row of so many elements of the copy leaves room for others:
/// fewer vectors would not make up for a matrix otherwise.
pub(super) fn is_worth<E: Element>(places: usize, row: usize) -> bool {
    let lanes = E::windows().lanes;
    places * 8 >= places.next_multiple_of(lanes) * 7 && row <= BLOCK / 4
}

/// Tasks for each thread that are enough to share work out evenly.
const TASKS: usize = 8;

/// Items that one task works on, with the same copy, of so many elements: its padding is written once.
fn items_at_once(elements: usize, [items, work]: [usize; 2]) -> usize {
    let shared = items / (TASKS * parallel::threads(work));
    (parallel::CHUNK / elements.max(1)).max(shared).max(1)
}

/// The convolution.
pub(super) fn conv<E: Element>(conv: &Conv, x: &[E], weight: &[E], work: usize) -> Buffer<E> {
    let Conv { rows, columns, .. } = conv;
    let items = conv.images * conv.groups;
    let (area_in, area_out) = (rows.input * columns.input, rows.output * columns.output);
    let depth = conv.inputs * rows.kernel * columns.kernel;
    let mut out = Buffer::dirty(items * conv.outputs * area_out);
    if out.is_empty() {
        return out;
    }
    let kernels = E::windows();
    let row = conv.inputs * columns.extent(columns.output);
    let each = rows_at_once(
        rows.output,
        row,
        |places| rows.extent(places),
        [items, work],
    );
    let blocks = rows.output.div_ceil(each);
    let some = items_at_once(row * rows.extent(each), [items, work]);
    let to = Output::new(out.fresh());
    parallel::for_each(items.div_ceil(some) * blocks, work, &|task| {
        let first = task % blocks * each;
        let count = each.min(rows.output - first);
        let plane = Plane::under(conv, first..first + count);
        let windows = Windows::new(
            kernels,
            &plane,
            plane.offsets(conv),
            [count, columns.output],
            columns.output,
        );
        let mut lines = Buffer::filled(conv.inputs * plane.len() + kernels.lanes, E::zero());
        let start = task / blocks * some;
        for item in start..items.min(start + some) {
            let image = conv.inputs * area_in;
            plane.fill(kernels, &x[item * image..][..image], lines.fresh());
            let len = conv.outputs * depth;
            let weight = &weight[item % conv.groups * len..][..len];
            let start = item * conv.outputs * area_out + first * columns.output;
            // SAFETY: each item and block runs once, and their rows of the output do not overlap.
            unsafe { windows.multiply(&lines, weight, &to, [start, area_out]) };
        }
    });
    out
}

/// For the entries of an axis that lie at the same place between two steps of the kernel: which entries of the kernel
/// reach them, and how far from the step before them are those places of the kernel.
fn reaching(sweep: &Sweep, phase: usize) -> Vec<(usize, isize)> {
    let stride = sweep.stride as isize;
    let steps = |k: usize| (phase + sweep.before) as isize - (k * sweep.dilation) as isize;
    let taps = (0..sweep.kernel).map(|k| (k, steps(k)));
    taps.filter(|(_, steps)| steps % stride == 0)
        .map(|(k, steps)| (k, steps / stride))
        .collect()
}

/// What the gradient of an axis of the input is made of.
struct Reach {
    /// [`reaching`], for each place between two steps.
    phases: Vec<Vec<(usize, isize)>>,
    /// How far the first place of the kernel is before a step, and the last behind it.
    first: isize,
    last: isize,
}

impl Reach {
    fn of(sweep: &Sweep) -> Reach {
        let phases: Vec<_> = (0..sweep.stride)
            .map(|phase| reaching(sweep, phase))
            .collect();
        let steps = || phases.iter().flatten().map(|&(_, steps)| steps);
        let (first, last) = (steps().min().unwrap_or(0), steps().max().unwrap_or(0));
        Reach {
            phases,
            first,
            last,
        }
    }

    /// Places of the kernel that reach the entries from one step to the last of so many.
    fn extent(&self, steps: usize) -> usize {
        steps + (self.last - self.first) as usize
    }
}

/// The gradient of the input, of which there is some, as there is of the output's.
pub(super) fn conv_input_grad<E: Element>(
    conv: &Conv,
    grad: &[E],
    weight: &[E],
    work: usize,
) -> Buffer<E> {
    let Conv {
        rows,
        columns,
        inputs,
        outputs,
        ..
    } = *conv;
    let items = conv.images * conv.groups;
    let (area_in, area_out) = (rows.input * columns.input, rows.output * columns.output);
    let mut out = Buffer::dirty(items * inputs * area_in);
    let kernels = E::windows();
    let (down, across) = (Reach::of(&rows), Reach::of(&columns));
    let phases = phases(conv, &down, &across, weight);
    // Steps of the kernel along each axis of the input.
    let (steps, wide) = (
        rows.input.div_ceil(rows.stride),
        columns.input.div_ceil(columns.stride),
    );
    let run = across.extent(wide);
    let each = rows_at_once(
        steps,
        outputs * run,
        |steps| down.extent(steps),
        [items, work],
    );
    let blocks = steps.div_ceil(each);
    let some = items_at_once(outputs * run * down.extent(each), [items, work]);
    let to = Output::new(out.fresh());
    parallel::for_each(items.div_ceil(some) * blocks, work, &|task| {
        let first = task % blocks * each;
        let count = each.min(steps - first);
        let plane = Plane {
            rows: Line {
                input: rows.output,
                before: -down.first - first as isize,
                stride: 1,
                run: down.extent(count),
            },
            columns: Line {
                input: columns.output,
                before: -across.first,
                stride: 1,
                run,
            },
        };
        let mut lines = Buffer::filled(outputs * plane.len() + kernels.lanes, E::zero());
        let windows: Vec<_> = phases
            .iter()
            .map(|phase| {
                let height = rows.share(phase.row).min(first + count) - first;
                let mut offsets = Vec::with_capacity(outputs * phase.taps.len());
                for channel in 0..outputs {
                    let taps = phase
                        .taps
                        .iter()
                        .map(|&(row, column)| plane.at(row, column));
                    offsets.extend(taps.map(|at| channel * plane.len() + at));
                }
                Windows::new(
                    kernels,
                    &plane,
                    offsets,
                    [height, columns.share(phase.column)],
                    wide,
                )
            })
            .collect();
        // What a stride takes apart is computed part by part; one that no entry reaches stays 0.
        let part = inputs * count * wide;
        let parts = rows.stride * columns.stride;
        let mut apart = Buffer::filled(if parts > 1 { parts * part } else { 0 }, E::zero());
        let start = task / blocks * some;
        for item in start..items.min(start + some) {
            let image = outputs * area_out;
            plane.fill(kernels, &grad[item * image..][..image], lines.fresh());
            let start = item * inputs * area_in + first * rows.stride * columns.input;
            let apart = Output::new(apart.fresh());
            for (phase, windows) in phases.iter().zip(&windows) {
                let len = inputs * windows.offsets.len();
                let weight = &phase.weights[item % conv.groups * len..][..len];
                let (to, at) = match parts {
                    1 => (&to, [start, area_in]),
                    _ => {
                        let number = phase.row * columns.stride + phase.column;
                        (&apart, [number * part, count * wide])
                    }
                };
                // SAFETY: each item and block runs once, and their rows of the input do not overlap; nobody else
                // has the parts.
                unsafe { windows.multiply(&lines, weight, to, at) };
            }
            if parts == 1 {
                continue;
            }
            for (row, channel) in (0..rows.stride * inputs).map(|i| (i / inputs, i % inputs)) {
                let lines = rows.share(row).min(first + count).saturating_sub(first);
                let start = start + channel * area_in + row * columns.input;
                let to_line = rows.stride * columns.input;
                assert!(lines == 0 || start + (lines - 1) * to_line + columns.input <= to.len);
                let join = Join {
                    lines,
                    len: columns.input,
                    stride: columns.stride,
                    from: apart
                        .first
                        .wrapping_add(row * columns.stride * part + channel * count * wide),
                    from_part: part,
                    from_line: wide,
                    to: to.first.wrapping_add(start),
                    to_line,
                };
                // SAFETY: the kernels are this processor's; the lines lie inside their parts and the output (checked),
                // where nobody else reads or writes, as above.
                unsafe { (kernels.join)(&join) };
            }
        }
    });
    out
}

/// For the entries of the input that lie at the same place between two steps of the kernel.
struct Phase<E> {
    /// That place.
    row: usize,
    column: usize,
    /// Where the entries of the kernel that reach the first of them meet the copy of the gradient.
    taps: Vec<(usize, usize)>,
    /// For each group and input channel, the weights of those entries in each output channel.
    weights: Vec<E>,
}

/// The phases that any entry of the kernel reaches.
fn phases<E: Element>(conv: &Conv, down: &Reach, across: &Reach, weight: &[E]) -> Vec<Phase<E>> {
    let (inputs, kernel) = (conv.inputs, conv.rows.kernel * conv.columns.kernel);
    let mut phases = Vec::new();
    for (row, rows) in down.phases.iter().enumerate().take(conv.rows.input) {
        for (column, columns) in across.phases.iter().enumerate().take(conv.columns.input) {
            let (mut taps, mut entries) = (Vec::new(), Vec::new());
            for (k, i) in rows {
                for (l, j) in columns {
                    taps.push(((i - down.first) as usize, (j - across.first) as usize));
                    entries.push(k * conv.columns.kernel + l);
                }
            }
            if taps.is_empty() {
                continue;
            }
            let mut weights = Vec::with_capacity(weight.len() / kernel * taps.len());
            for group in weight.chunks_exact(conv.outputs * inputs * kernel) {
                for channel in 0..inputs {
                    for output in group.chunks_exact(inputs * kernel) {
                        let weight = &output[channel * kernel..][..kernel];
                        weights.extend(entries.iter().map(|&entry| weight[entry]));
                    }
                }
            }
            phases.push(Phase {
                row,
                column,
                taps,
                weights,
            });
        }
    }
    phases
}

/// The gradient of the weight of a convolution whose groups have one input channel each.
pub(super) fn conv_weight_grad<E: Element>(
    conv: &Conv,
    x: &[E],
    grad: &[E],
    work: usize,
) -> Buffer<E> {
    let Conv {
        rows,
        columns,
        outputs,
        ..
    } = *conv;
    let (area_in, area_out) = (rows.input * columns.input, rows.output * columns.output);
    let kernels = E::windows();
    let lanes = kernels.lanes;
    let plane = Plane::under(conv, 0..rows.output);
    let windows = Windows::new(
        kernels,
        &plane,
        plane.offsets(conv),
        [rows.output, columns.output],
        columns.output,
    );
    let kernel = windows.offsets.len();
    let each = outputs * kernel;
    let mut out = Buffer::dirty(conv.groups * each);
    parallel::rows(
        out.fresh(),
        each.max(1),
        work,
        &|start: usize, out: &mut [E]| {
            let group = start / each;
            let mut lines = Buffer::filled(plane.len() + lanes, E::zero());
            let mut sums = vec![E::zero(); each * lanes];
            for item in (0..conv.images).map(|image| image * conv.groups + group) {
                plane.fill(kernels, &x[item * area_in..][..area_in], lines.fresh());
                let grads = grad[item * outputs * area_out..].chunks_exact(area_out);
                for (grad, sums) in grads.zip(sums.chunks_exact_mut(kernel * lanes)) {
                    windows.add_products(&lines, grad, sums);
                }
            }
            for (out, sums) in out.iter_mut().zip(sums.chunks_exact_mut(lanes)) {
                *out = halved(sums);
            }
        },
    );
    out
}

/// The sum of numbers, as many as a power of two: the second half is added to the first, until one is left.
fn halved<E: Element>(sums: &mut [E]) -> E {
    let mut rest = sums;
    while rest.len() > 1 {
        let (first, second) = rest.split_at_mut(rest.len() / 2);
        for (sum, &other) in first.iter_mut().zip(&*second) {
            *sum += other;
        }
        rest = first;
    }
    rest[0]
}
