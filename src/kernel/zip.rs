//! One function applied to pairs of elements, along a broadcast plan.

use super::map::{Source, map_with};
use super::parallel;
use crate::element::Element;
use crate::shape::{Loop, Pattern, Plan};
use crate::storage::{Buffer, Plain};

/// An operand inside a run: its values from the run's start on, and its step, which is 1 or 0.
#[derive(Clone, Copy)]
struct Run<'a, E> {
    values: &'a [E],
    step: usize,
}

/// What is done to each run of the output, given where either operand starts and how both step. (Not `Fn`,
/// for the reason that [`parallel::Work`] gives.)
trait Visit<T>: Sync {
    fn run(&self, out: &mut [T], starts: [usize; 2], steps: Loop);
}

impl<T, F: Fn(&mut [T], [usize; 2], Loop) + Sync> Visit<T> for F {
    fn run(&self, out: &mut [T], starts: [usize; 2], steps: Loop) {
        self(out, starts, steps);
    }
}

/// Visits the output in runs along the plan's innermost loop.
fn runs<T: Plain>(plan: &Plan, out: &mut [T], visit: &dyn Visit<T>) {
    let Some((&inner, outer)) = plan.loops().split_last() else {
        // Every axis has size 1 (or one of them 0, and there is nothing to visit).
        if !out.is_empty() {
            let steps = Loop {
                size: 1,
                lhs: 0,
                rhs: 0,
            };
            visit.run(out, [0, 0], steps);
        }
        return;
    };
    if outer.is_empty() {
        return parallel::chunks(out, &|start: usize, piece: &mut [T]| {
            visit.run(piece, [start * inner.lhs, start * inner.rhs], inner);
        });
    }
    let (rows, len) = ((parallel::CHUNK / inner.size.max(1)).max(1), out.len());
    parallel::rows(
        out,
        rows * inner.size,
        len,
        &|start: usize, piece: &mut [T]| {
            let mut at = Odometer::at(outer, start / inner.size);
            for row in piece.chunks_exact_mut(inner.size) {
                visit.run(row, at.offsets, inner);
                at.advance(outer);
            }
        },
    );
}

/// A position in nested loops, and the offsets of both operands there.
struct Odometer {
    index: [usize; 6],
    offsets: [usize; 2],
}

impl Odometer {
    fn at(loops: &[Loop], mut row: usize) -> Self {
        let mut odometer = Odometer {
            index: [0; 6],
            offsets: [0, 0],
        };
        for (i, l) in loops.iter().enumerate().rev() {
            odometer.index[i] = row % l.size;
            odometer.offsets[0] += odometer.index[i] * l.lhs;
            odometer.offsets[1] += odometer.index[i] * l.rhs;
            row /= l.size;
        }
        odometer
    }

    fn advance(&mut self, loops: &[Loop]) {
        for (i, l) in loops.iter().enumerate().rev() {
            self.index[i] += 1;
            self.offsets[0] += l.lhs;
            self.offsets[1] += l.rhs;
            if self.index[i] < l.size {
                return;
            }
            self.offsets[0] -= l.lhs * l.size;
            self.offsets[1] -= l.rhs * l.size;
            self.index[i] = 0;
        }
    }
}

/// Writes `f(a, b)` to every element of `out`; a loop of its own for each way the operands step.
#[inline(always)]
fn pairs<E: Copy, T>(out: &mut [T], a: Run<'_, E>, b: Run<'_, E>, f: impl Fn(E, E) -> T) {
    let n = out.len();
    match (a.step, b.step) {
        (1, 1) => {
            for ((out, &a), &b) in out.iter_mut().zip(&a.values[..n]).zip(&b.values[..n]) {
                *out = f(a, b);
            }
        }
        (1, _) => {
            let b = b.values[0];
            for (out, &a) in out.iter_mut().zip(&a.values[..n]) {
                *out = f(a, b);
            }
        }
        (_, 1) => {
            let a = a.values[0];
            for (out, &b) in out.iter_mut().zip(&b.values[..n]) {
                *out = f(a, b);
            }
        }
        _ => out.fill_with(|| f(a.values[0], b.values[0])),
    }
}

/// Replaces every element of `out`, which holds one operand, by `f` of it and the other one.
#[inline(always)]
fn update<E: Copy>(out: &mut [E], b: Run<'_, E>, f: impl Fn(E, E) -> E) {
    if b.step == 1 {
        for (out, &b) in out.iter_mut().zip(b.values) {
            *out = f(*out, b);
        }
    } else {
        let b = b.values[0];
        for out in out {
            *out = f(*out, b);
        }
    }
}

/// `f(a, b)` over the broadcast shape, in place on an operand that fills it and may be reused.
#[inline(always)]
pub(crate) fn zip<E: Element>(
    plan: &Plan,
    a: Source<'_, E>,
    b: Source<'_, E>,
    f: impl Fn(E, E) -> E + Sync,
) -> Buffer<E> {
    // The common case goes without a walk over the plan.
    if plan.pattern() == Pattern::Equal {
        return equal(a, b, f);
    }
    let (mut a, mut b) = (a, b);
    if plan.lhs_fold().is_identity() {
        match a.reusable() {
            Ok(mut out) => {
                let b: &[E] = &b;
                runs(
                    plan,
                    out.fresh(),
                    &|out: &mut [E], [_, r]: [usize; 2], l: Loop| {
                        update(
                            out,
                            Run {
                                values: &b[r..],
                                step: l.rhs,
                            },
                            &f,
                        )
                    },
                );
                return out;
            }
            Err(back) => a = back,
        }
    }
    if plan.rhs_fold().is_identity() {
        match b.reusable() {
            Ok(mut out) => {
                let a: &[E] = &a;
                runs(
                    plan,
                    out.fresh(),
                    &|out: &mut [E], [l0, _]: [usize; 2], l: Loop| {
                        update(
                            out,
                            Run {
                                values: &a[l0..],
                                step: l.lhs,
                            },
                            |b, a| f(a, b),
                        );
                    },
                );
                return out;
            }
            Err(back) => b = back,
        }
    }
    fresh(plan, &a, &b, f)
}

/// [`zip`] by a pointer to the function: one set of loops for all that come this way.
#[inline(never)]
pub(crate) fn zip_called<E: Element>(
    plan: &Plan,
    a: Source<'_, E>,
    b: Source<'_, E>,
    f: &(dyn Fn(E, E) -> E + Sync),
) -> Buffer<E> {
    zip(plan, a, b, f)
}

/// [`zip`] where both operands have the elements of the result, in order.
#[inline(always)]
fn equal<E: Element>(
    a: Source<'_, E>,
    b: Source<'_, E>,
    f: impl Fn(E, E) -> E + Sync,
) -> Buffer<E> {
    let a = match a.reusable() {
        Ok(a) => return map_with(a, &b, f),
        Err(a) => a,
    };
    match b.reusable() {
        Ok(b) => map_with(b, &a, |b, a| f(a, b)),
        Err(b) => {
            let (a, b): (&[E], &[E]) = (&a, &b);
            let mut out = Buffer::dirty(a.len());
            parallel::chunks(out.fresh(), &|start: usize, piece: &mut [E]| {
                for ((out, &a), &b) in piece.iter_mut().zip(&a[start..]).zip(&b[start..]) {
                    *out = f(a, b);
                }
            });
            out
        }
    }
}

fn fresh<E: Element, T: Plain>(
    plan: &Plan,
    a: &[E],
    b: &[E],
    f: impl Fn(E, E) -> T + Sync,
) -> Buffer<T> {
    let mut out = Buffer::dirty(plan.numel());
    runs(plan, out.fresh(), &|out: &mut [T],
                              [l0, r0]: [usize; 2],
                              l: Loop| {
        pairs(
            out,
            Run {
                values: &a[l0..],
                step: l.lhs,
            },
            Run {
                values: &b[r0..],
                step: l.rhs,
            },
            &f,
        );
    });
    out
}

/// `f(a, b)` over the broadcast shape as truth values, 1 or 0.
pub(crate) fn compare<E: Element>(
    plan: &Plan,
    a: &[E],
    b: &[E],
    f: impl Fn(E, E) -> bool + Sync,
) -> Buffer<u8> {
    fresh(plan, a, b, |a, b| u8::from(f(a, b)))
}

/// `f(g, a, b)`, where `g` has the broadcast shape: what the backward of a binary operation computes.
///
/// An operand that was not saved counts as zero.
pub(crate) fn zip_with<E: Element>(
    plan: &Plan,
    g: Buffer<E>,
    a: Option<&[E]>,
    b: Option<&[E]>,
    f: impl Fn(E, E, E) -> E + Sync,
) -> Buffer<E> {
    let mut g = g;
    if g.unique().is_none() {
        g = Buffer::from_slice(&g);
    }
    let zero = [E::zero()];
    let run = |values: Option<&'_ [E]>, start: usize, step: usize| match values {
        Some(_) => (start, step),
        None => (0, 0),
    };
    let (a_all, b_all) = (a.unwrap_or(&zero), b.unwrap_or(&zero));
    runs(plan, g.fresh(), &|g: &mut [E],
                            [l0, r0]: [usize; 2],
                            l: Loop| {
        let ((l0, lhs), (r0, rhs)) = (run(a, l0, l.lhs), run(b, r0, l.rhs));
        let (a, b) = (&a_all[l0..], &b_all[r0..]);
        let n = g.len();
        match (lhs, rhs) {
            (1, 1) => {
                for ((g, &a), &b) in g.iter_mut().zip(&a[..n]).zip(&b[..n]) {
                    *g = f(*g, a, b);
                }
            }
            (1, _) => update(g, Run { values: a, step: 1 }, |g, a| f(g, a, b[0])),
            (_, step) => update(g, Run { values: b, step }, |g, b| f(g, a[0], b)),
        }
    });
    g
}

/// `sum += grad`, in place on whichever of the two nobody else holds.
pub(crate) fn accumulate<E: Element>(sum: &mut Buffer<E>, grad: Buffer<E>) {
    let (a, b) = if !sum.is_unique() && grad.is_unique() {
        (grad, sum.clone())
    } else {
        // An empty buffer stands in while the sum is worked on, so that it is not shared.
        (std::mem::replace(sum, grad.clone()), grad)
    };
    *sum = map_with(a, &b, |a, b| a + b);
}

/// `sum += grad` on the calling thread alone: for callers that hold a lock.
pub(crate) fn accumulate_alone<E: Element>(sum: &mut Buffer<E>, grad: &[E]) {
    for (sum, &g) in sum.make_mut().iter_mut().zip(grad) {
        *sum += g;
    }
}
