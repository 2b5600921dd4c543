//! Elementwise expressions over several operands, which stretch along plans: one loop forward, one backward.
//!
//! The loops over lanes are compiled for each expression. They see operands of one length; what is stretched is laid
//! out for them block by block, so that broadcasting is no part of them.

use super::lanes::Lanes;
use super::parallel::{self, Parts};
use super::wide::widest;
use super::zip::Odometer;
use super::{reduce, sum};
use crate::element::Element;
use crate::shape::{Plan, Split};
use crate::storage::Buffer;
use std::ops::Range;

/// The most operands that an expression has.
pub(crate) const MAX_OPERANDS: usize = 6;
/// Elements that are laid out at once: few enough for the fastest cache, with those of all operands.
const BLOCK: usize = 512;
/// Elements that a loop takes from memory at once, into places that it has for itself.
const STRIP: usize = 64;

/// An expression of `N` operands.
pub(crate) trait Expressed<const N: usize>: Copy + Send + Sync + 'static {
    /// Its value.
    fn value<V: Lanes>(self, x: [V; N]) -> V;
    /// The products of `g` and its derivatives.
    fn slopes<V: Lanes>(self, x: [V; N], g: V) -> [V; N];
}

/// The two loops of an expression, behind which its type is forgotten.
pub(crate) trait Loops<E>: Send + Sync {
    /// Writes the values. Operands are as long as `out`.
    fn write(&self, operands: &[&[E]], out: &mut [E]);
    /// Writes the products of `g` and the derivatives, where they are wanted.
    fn write_slopes(&self, operands: &[&[E]], g: &[E], out: &mut [Option<&mut [E]>]);
    /// The same loops.
    fn boxed(&self) -> Box<dyn Loops<E>>;
}

/// An expression and the number of its operands.
#[derive(Clone, Copy)]
pub(crate) struct Of<F, const N: usize>(pub(crate) F);

impl<E: Element, F: Expressed<N>, const N: usize> Loops<E> for Of<F, N> {
    fn write(&self, operands: &[&[E]], out: &mut [E]) {
        write::<E, F, N>(self.0, array(operands), out);
    }
    fn write_slopes(&self, operands: &[&[E]], g: &[E], out: &mut [Option<&mut [E]>]) {
        write_slopes::<E, F, N>(self.0, array(operands), g, out);
    }
    fn boxed(&self) -> Box<dyn Loops<E>> {
        Box::new(*self)
    }
}

fn array<'a, E, const N: usize>(operands: &[&'a [E]]) -> [&'a [E]; N] {
    operands
        .try_into()
        .expect("an expression has its number of operands")
}

widest! {
    fn write<E, const N: usize; F: Expressed<N>>(f: F, x: [&[E]; N], out: &mut [E]) = write_in in lanes;
    fn write_slopes<E, const N: usize; F: Expressed<N>>(
        f: F, x: [&[E]; N], g: &[E], out: &mut [Option<&mut [E]>],
    ) = write_slopes_in in lanes;
}

// No closures in what follows: they are functions of their own, which are not compiled for the same vectors.

#[inline(always)]
fn write_in<E: Element, V: Lanes<Element = E>, F: Expressed<N>, const N: usize>(
    f: F,
    x: [&[E]; N],
    out: &mut [E],
) {
    let mut start = 0;
    if V::COUNT > 1 {
        // Lanes are vectors already: straight from the operands to the result.
        let whole = out.len() - out.len() % V::COUNT;
        let operands = prefixes(&x, whole);
        for (j, out) in out[..whole].chunks_exact_mut(V::COUNT).enumerate() {
            f.value(load::<E, V, N>(&operands, j * V::COUNT)).store(out);
        }
        start = whole;
    }
    for out in out[start..].chunks_mut(STRIP) {
        let x = strips(&x, start, out.len());
        let mut y = [E::zero(); STRIP];
        for j in (0..STRIP).step_by(V::COUNT) {
            let x = load::<E, V, N>(&slices(&x), j);
            f.value(x).store(&mut y[j..]);
        }
        put(out, &y);
        start += STRIP;
    }
}

#[inline(always)]
fn write_slopes_in<E: Element, V: Lanes<Element = E>, F: Expressed<N>, const N: usize>(
    f: F,
    x: [&[E]; N],
    g: &[E],
    out: &mut [Option<&mut [E]>],
) {
    let mut start = 0;
    if V::COUNT > 1 {
        let whole = g.len() - g.len() % V::COUNT;
        let operands = prefixes(&x, whole);
        for (j, g) in g[..whole].chunks_exact(V::COUNT).enumerate() {
            let j = j * V::COUNT;
            let parts = f.slopes(load::<E, V, N>(&operands, j), V::load(g));
            for i in 0..N {
                if let Some(out) = &mut out[i] {
                    parts[i].store(&mut out[j..j + V::COUNT]);
                }
            }
        }
        start = whole;
    }
    while start < g.len() {
        let count = STRIP.min(g.len() - start);
        let x = strips(&x, start, count);
        let [g] = strips(&[g], start, count);
        let mut slopes = [[E::zero(); STRIP]; N];
        for j in (0..STRIP).step_by(V::COUNT) {
            let x = load::<E, V, N>(&slices(&x), j);
            let parts = f.slopes(x, V::load(&g[j..]));
            for i in 0..N {
                parts[i].store(&mut slopes[i][j..]);
            }
        }
        for (out, slopes) in out.iter_mut().zip(&slopes) {
            if let Some(out) = out {
                put(&mut out[start..start + count], slopes);
            }
        }
        start += count;
    }
}

#[inline(always)]
fn load<E: Element, V: Lanes<Element = E>, const N: usize>(x: &[&[E]; N], j: usize) -> [V; N] {
    let mut lanes = [V::splat(E::zero()); N];
    for i in 0..N {
        lanes[i] = V::load(&x[i][j..j + V::COUNT]);
    }
    lanes
}

/// The first `len` values of each operand.
#[inline(always)]
fn prefixes<'a, E, const N: usize>(x: &[&'a [E]; N], len: usize) -> [&'a [E]; N] {
    let mut prefixes = *x;
    for prefix in &mut prefixes {
        *prefix = &prefix[..len];
    }
    prefixes
}

#[inline(always)]
fn slices<E, const N: usize>(strips: &[[E; STRIP]; N]) -> [&[E]; N] {
    let mut prefixes: [&[E]; N] = [&[]; N];
    for i in 0..N {
        prefixes[i] = &strips[i];
    }
    prefixes
}

/// A strip of each operand, in a place that nothing else points to, so that the compiler may use vectors.
#[inline(always)]
fn strips<E: Element, const N: usize>(
    x: &[&[E]; N],
    start: usize,
    count: usize,
) -> [[E; STRIP]; N] {
    let mut strips = [[E::zero(); STRIP]; N];
    for i in 0..N {
        let values = &x[i][start..start + count];
        match values.first_chunk() {
            Some(whole) => strips[i] = *whole,
            None => strips[i][..count].copy_from_slice(values),
        }
    }
    strips
}

#[inline(always)]
fn put<E: Element>(out: &mut [E], strip: &[E; STRIP]) {
    match out.first_chunk_mut() {
        Some(whole) => *whole = *strip,
        None => out.copy_from_slice(&strip[..out.len()]),
    }
}

/// The operands along a stretch of the result. Each fills the result, or stretches to it along its plan.
struct Operands<'a, E: Element> {
    plans: &'a [&'a Plan],
    values: &'a [&'a [E]],
    /// Room for a block of each that stretches.
    laid: Buffer<E>,
}

impl<'a, E: Element> Operands<'a, E> {
    fn new(plans: &'a [&'a Plan], values: &'a [&'a [E]]) -> Self {
        let stretched = plans.iter().filter(|plan| !is_whole(plan)).count();
        Operands {
            plans,
            values,
            laid: Buffer::dirty(stretched * BLOCK),
        }
    }

    /// Calls `body` with the values of all operands from `start` on.
    fn at(&mut self, start: usize, len: usize, body: impl FnOnce(&[&[E]])) {
        let mut all: [&[E]; MAX_OPERANDS] = [&[]; MAX_OPERANDS];
        let mut rooms = self.laid.fresh().chunks_exact_mut(BLOCK);
        for ((place, plan), values) in all.iter_mut().zip(self.plans).zip(self.values) {
            *place = if is_whole(plan) {
                &values[start..start + len]
            } else {
                let room = &mut rooms.next().expect("there is room for each")[..len];
                lay_out(plan, values, start, room);
                room
            };
        }
        body(&all[..self.values.len()]);
    }
}

fn is_whole(plan: &Plan) -> bool {
    plan.lhs_fold().is_identity()
}

/// The values of the plan's left operand along the result, from `start` on.
fn lay_out<E: Element>(plan: &Plan, values: &[E], start: usize, out: &mut [E]) {
    let len = out.len();
    runs(plan, start, len, &mut |place, step, run| match step {
        0 => out[run].fill(values[place]),
        _ => {
            let values = &values[place..][..run.len()];
            out[run].copy_from_slice(values);
        }
    });
}

/// Adds numbers along the result, from `start` on, to the places of the plan's left operand: [`lay_out`] backwards.
fn add_up<E: Element>(plan: &Plan, numbers: &[E], start: usize, sums: &mut [E]) {
    const FEW: usize = 32;
    runs(plan, start, numbers.len(), &mut |place, step, run| {
        let numbers = &numbers[run];
        match step {
            // Of a few numbers the sum takes less than a call.
            0 if numbers.len() < FEW => {
                for &number in numbers {
                    sums[place] += number;
                }
            }
            0 => sums[place] += sum::sum(numbers),
            _ => {
                for (sum, &number) in sums[place..].iter_mut().zip(numbers) {
                    *sum += number;
                }
            }
        }
    });
}

/// Visits `len` elements of the result, from `start` on, in runs along the innermost loop: where the left operand is at
/// the run's first element, its step, and which elements they are.
fn runs(plan: &Plan, start: usize, len: usize, visit: &mut dyn FnMut(usize, usize, Range<usize>)) {
    let Some((&inner, outer)) = plan.loops().split_last() else {
        return visit(0, 0, 0..len);
    };
    let mut at = Odometer::at(outer, start / inner.size);
    let mut column = start % inner.size;
    let mut from = 0;
    while from < len {
        let to = len.min(from + inner.size - column);
        visit(at.lhs() + column * inner.lhs, inner.lhs, from..to);
        at.advance(outer);
        column = 0;
        from = to;
    }
}

/// The values of an expression, whose operands stretch to `numel` elements.
pub(crate) fn fused<E: Element>(
    plans: &[&Plan],
    values: &[&[E]],
    numel: usize,
    f: &dyn Loops<E>,
) -> Buffer<E> {
    let mut out = Buffer::dirty(numel);
    let whole = plans.iter().zip(values).filter(|(plan, _)| is_whole(plan));
    let reads: Vec<&[E]> = whole.map(|(_, values)| *values).collect();
    parallel::fresh_chunks(out.fresh(), &reads, &|start: usize, piece: &mut [E]| {
        let mut operands = Operands::new(plans, values);
        for (i, block) in piece.chunks_mut(BLOCK).enumerate() {
            operands.at(start + i * BLOCK, block.len(), |x| f.write(x, block));
        }
    });
    out
}

/// Where the gradient of an operand goes.
enum Goal<'a, E: Element> {
    Nowhere,
    /// To its elements one by one.
    Written(Parts<'a, E>),
    /// To sums over what was stretched: so many for each chunk of the result.
    Summed(Parts<'a, E>, usize),
}

/// The gradients of the operands that are wanted.
///
/// Over what was stretched they are summed chunk by chunk, while they are computed. Only for a long operand, whose sums
/// would take as much room in every chunk as what is summed, that comes afterwards.
pub(crate) fn fused_slopes<E: Element>(
    plans: &[&Plan],
    values: &[&[E]],
    g: &[E],
    wanted: &[bool],
    f: &dyn Loops<E>,
) -> Vec<Option<Buffer<E>>> {
    /// The longest operand whose gradient is summed at once.
    const LONGEST: usize = parallel::CHUNK / 4;
    let numel = g.len();
    let chunks = numel.div_ceil(parallel::CHUNK);
    let summed = |i: usize| !is_whole(plans[i]) && values[i].len() <= LONGEST;
    let room = |i: usize| {
        if summed(i) {
            Buffer::filled(chunks * values[i].len(), E::zero())
        } else {
            Buffer::dirty(numel)
        }
    };
    let mut grads: Vec<Option<Buffer<E>>> = wanted
        .iter()
        .enumerate()
        .map(|(i, wanted)| wanted.then(|| room(i)))
        .collect();
    let goals: Vec<Goal<'_, E>> = grads
        .iter_mut()
        .enumerate()
        .map(|(i, grad)| {
            let Some(grad) = grad else {
                return Goal::Nowhere;
            };
            let part = Parts::new(grad.fresh());
            if summed(i) {
                Goal::Summed(part, values[i].len())
            } else {
                Goal::Written(part)
            }
        })
        .collect();
    parallel::for_each(chunks, numel, &|chunk| {
        let mut operands = Operands::new(plans, values);
        let mut scratch = Buffer::dirty(values.len() * BLOCK);
        let piece = chunk * parallel::CHUNK..((chunk + 1) * parallel::CHUNK).min(numel);
        for start in piece.clone().step_by(BLOCK) {
            let len = BLOCK.min(piece.end - start);
            let mut out: [Option<&mut [E]>; MAX_OPERANDS] = Default::default();
            let rooms = scratch.fresh().chunks_exact_mut(BLOCK);
            for ((out, goal), room) in out.iter_mut().zip(&goals).zip(rooms) {
                *out = match goal {
                    Goal::Nowhere => None,
                    // SAFETY: chunks do not overlap, nor do their blocks, and each is worked on once.
                    Goal::Written(part) => Some(unsafe { part.part(start..start + len) }),
                    Goal::Summed(..) => Some(&mut room[..len]),
                };
            }
            operands.at(start, len, |x| {
                f.write_slopes(x, &g[start..start + len], &mut out[..values.len()]);
            });
            let rooms = scratch.chunks_exact(BLOCK);
            for ((goal, plan), room) in goals.iter().zip(plans).zip(rooms) {
                if let Goal::Summed(sums, count) = goal {
                    // SAFETY: each chunk has sums of its own.
                    let sums = unsafe { sums.part(chunk * count..(chunk + 1) * count) };
                    add_up(plan, &room[..len], start, sums);
                }
            }
        }
    });
    drop(goals);
    for (i, grad) in grads.iter_mut().enumerate() {
        *grad = grad.take().map(|grad| {
            if !summed(i) {
                return reduce::sum_to(grad, plans[i].lhs_fold());
            }
            let split = Split {
                outer: 1,
                len: chunks,
                inner: values[i].len(),
            };
            reduce::sum_axis(&grad, split)
        });
    }
    grads
}
