//! One function applied to pairs of elements, along a broadcast plan.

use super::map::{GROUP, MapWith, Source};
use super::parallel;
use crate::element::Element;
use crate::shape::{Loop, Pattern, Plan};
use crate::storage::{Buffer, Plain};

/// An operand inside a run: its values from the run's start on, and its step, which is 1 or 0.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a, E> {
    values: &'a [E],
    step: usize,
}

impl<'a, E> Run<'a, E> {
    fn new(values: &'a [E], start: usize, step: usize) -> Self {
        Run {
            values: &values[start..],
            step,
        }
    }
}

impl<E: Copy> Run<'_, E> {
    /// The run from the place `start` on.
    fn from(self, start: usize) -> Self {
        Run::new(self.values, start * self.step, self.step)
    }

    /// Writes the first values to `out`.
    fn copy_to(self, out: &mut [E]) {
        if self.step == 1 {
            out.copy_from_slice(&self.values[..out.len()]);
        } else {
            out.fill(self.values[0]);
        }
    }
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

/// Visits the output in runs along the plan's innermost loop. `fresh`: nothing of it is read.
fn runs<T: Plain>(plan: &Plan, out: &mut [T], fresh: bool, visit: &dyn Visit<T>) {
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
        let work = |start: usize, piece: &mut [T]| {
            visit.run(piece, [start * inner.lhs, start * inner.rhs], inner);
        };
        return if fresh {
            parallel::fresh_chunks(out, &[], &work)
        } else {
            parallel::chunks(out, &work)
        };
    }
    let (rows, len) = ((parallel::CHUNK / inner.size.max(1)).max(1), out.len());
    let work = |start: usize, piece: &mut [T]| {
        // A matrix and a row or a column: the most frequent case goes without an odometer.
        if let [rows] = outer {
            let first = start / inner.size;
            for (i, row) in piece.chunks_exact_mut(inner.size).enumerate() {
                let i = first + i;
                visit.run(row, [i * rows.lhs, i * rows.rhs], inner);
            }
            return;
        }
        let mut at = Odometer::at(outer, start / inner.size);
        for row in piece.chunks_exact_mut(inner.size) {
            visit.run(row, at.offsets, inner);
            at.advance(outer);
        }
    };
    let piece = rows * inner.size;
    if fresh {
        parallel::fresh_rows(out, [inner.size, piece], len, &[], &work);
    } else {
        parallel::rows(out, piece, len, &work);
    }
}

/// A position in nested loops, and the offsets of both operands there.
pub(super) struct Odometer {
    index: [usize; 6],
    offsets: [usize; 2],
}

impl Odometer {
    pub(super) fn at(loops: &[Loop], mut row: usize) -> Self {
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

    /// Where the left operand is.
    pub(super) fn lhs(&self) -> usize {
        self.offsets[0]
    }

    pub(super) fn advance(&mut self, loops: &[Loop]) {
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

/// Writes a function of pairs of elements.
///
/// As everywhere in this room, the loops are all that is compiled for each function: the walk along the plan
/// calls them behind a pointer.
pub(crate) trait Pairs<E, T>: Sync {
    /// Writes the function of each pair to `out`.
    fn write(&self, out: &mut [T], a: Run<'_, E>, b: Run<'_, E>);
}

impl<E: Element, T: Plain, F: Fn(E, E) -> T + Sync> Pairs<E, T> for F {
    fn write(&self, out: &mut [T], a: Run<'_, E>, b: Run<'_, E>) {
        let n = out.len();
        match (a.step, b.step) {
            (1, 1) => {
                for ((out, &a), &b) in out.iter_mut().zip(&a.values[..n]).zip(&b.values[..n]) {
                    *out = self(a, b);
                }
            }
            (1, _) => {
                let b = b.values[0];
                for (out, &a) in out.iter_mut().zip(&a.values[..n]) {
                    *out = self(a, b);
                }
            }
            (_, 1) => {
                let a = a.values[0];
                for (out, &b) in out.iter_mut().zip(&b.values[..n]) {
                    *out = self(a, b);
                }
            }
            _ => out.fill(self(a.values[0], b.values[0])),
        }
    }
}

/// [`Pairs`] whose result may take the place of either operand.
pub(crate) trait Zip<E>: Pairs<E, E> {
    /// Replaces every `a` by the function of it and its `b`.
    fn update_lhs(&self, a: &mut [E], b: Run<'_, E>);
    /// Replaces every `b` by the function of its `a` and it.
    fn update_rhs(&self, a: Run<'_, E>, b: &mut [E]);
}

impl<E: Element, F: Fn(E, E) -> E + Sync> Zip<E> for F {
    fn update_lhs(&self, a: &mut [E], b: Run<'_, E>) {
        update(a, b, self);
    }
    fn update_rhs(&self, a: Run<'_, E>, b: &mut [E]) {
        update(b, a, |b, a| self(a, b));
    }
}

/// Replaces every value by `f` of it and the other operand.
#[inline(always)]
fn update<E: Copy>(values: &mut [E], other: Run<'_, E>, f: impl Fn(E, E) -> E) {
    if other.step == 1 {
        for (value, &other) in values.iter_mut().zip(other.values) {
            *value = f(*value, other);
        }
    } else {
        let other = other.values[0];
        for value in values {
            *value = f(*value, other);
        }
    }
}

/// The loop of a function of two elements as the loops of an operation on two tensors. They go by groups, in which an
/// operand that is one number comes to lie beside the other.
pub(crate) struct Paired<E: 'static>(pub(crate) &'static dyn MapWith<E>);

impl<E: Element> Paired<E> {
    /// Replaces every value by the function of it and the other operand.
    pub(super) fn update(&self, values: &mut [E], other: Run<'_, E>) {
        if other.step == 1 {
            return self.0.update(values, other.values);
        }
        let other = [other.values[0]; GROUP];
        for values in values.chunks_mut(GROUP) {
            self.0.update(values, &other);
        }
    }

    /// [`Paired::update`] with a number.
    pub(super) fn update_by(&self, values: &mut [E], number: E) {
        self.update(values, Run::new(&[number], 0, 0));
    }
}

impl<E: Element> Pairs<E, E> for Paired<E> {
    fn write(&self, out: &mut [E], a: Run<'_, E>, b: Run<'_, E>) {
        for (i, out) in out.chunks_mut(GROUP).enumerate() {
            a.from(i * GROUP).copy_to(out);
            self.update(out, b.from(i * GROUP));
        }
    }
}

impl<E: Element> Zip<E> for Paired<E> {
    fn update_lhs(&self, a: &mut [E], b: Run<'_, E>) {
        self.update(a, b);
    }
    fn update_rhs(&self, a: Run<'_, E>, b: &mut [E]) {
        let mut before = [E::zero(); GROUP];
        for (i, b) in b.chunks_mut(GROUP).enumerate() {
            let before = &mut before[..b.len()];
            before.copy_from_slice(b);
            a.from(i * GROUP).copy_to(b);
            self.0.update(b, before);
        }
    }
}

/// The loop of a slope as that of a gradient, which it is multiplied with; `SWAPPED`: the slope is a function of the right
/// operand and the left one.
pub(crate) struct Slope<E: 'static, const SWAPPED: bool>(pub(crate) Paired<E>);

impl<E: Element, const SWAPPED: bool> ZipWith<E> for Slope<E, SWAPPED> {
    fn update(&self, g: &mut [E], a: Run<'_, E>, b: Run<'_, E>) {
        let (a, b) = if SWAPPED { (b, a) } else { (a, b) };
        let mut slopes = [E::zero(); GROUP];
        for (i, g) in g.chunks_mut(GROUP).enumerate() {
            let slopes = &mut slopes[..g.len()];
            self.0.write(slopes, a.from(i * GROUP), b.from(i * GROUP));
            for (g, &slope) in g.iter_mut().zip(&*slopes) {
                *g *= slope;
            }
        }
    }
}

/// `f(a, b)` over the broadcast shape, in place on an operand that fills it and may be reused.
#[inline(always)]
pub(crate) fn zip<E: Element>(
    plan: &Plan,
    a: Source<'_, E>,
    b: Source<'_, E>,
    f: &dyn Zip<E>,
) -> Buffer<E> {
    // The common case goes without a walk over the plan.
    if plan.pattern() == Pattern::Equal {
        return zip_equal(a, b, f);
    }
    let (mut a, mut b) = (a, b);
    if plan.lhs_fold().is_identity()
        && let Some(out) = a.reuse()
    {
        let visit = |out: &mut [E], [_, r]: [usize; 2], l: Loop| {
            f.update_lhs(out, Run::new(&b, r, l.rhs));
        };
        runs(plan, out, false, &visit);
        return a.take();
    }
    if plan.rhs_fold().is_identity()
        && let Some(out) = b.reuse()
    {
        let visit = |out: &mut [E], [l0, _]: [usize; 2], l: Loop| {
            f.update_rhs(Run::new(&a, l0, l.lhs), out);
        };
        runs(plan, out, false, &visit);
        return b.take();
    }
    fresh(plan, &a, &b, |out, a, b| f.write(out, a, b))
}

/// [`zip`] where both operands have the elements of the result, in order.
#[inline(always)]
pub(crate) fn zip_equal<E: Element>(
    a: Source<'_, E>,
    b: Source<'_, E>,
    f: &dyn Zip<E>,
) -> Buffer<E> {
    assert_eq!(a.len(), b.len());
    let (mut a, mut b) = (a, b);
    if let Some(out) = a.reuse() {
        parallel::chunks(out, &|start: usize, piece: &mut [E]| {
            f.update_lhs(piece, Run::new(&b, start, 1));
        });
        return a.take();
    }
    if let Some(out) = b.reuse() {
        parallel::chunks(out, &|start: usize, piece: &mut [E]| {
            f.update_rhs(Run::new(&a, start, 1), piece);
        });
        return b.take();
    }
    let (a, b): (&[E], &[E]) = (&a, &b);
    let mut out = Buffer::dirty(a.len());
    parallel::fresh_chunks(out.fresh(), &[a, b], &|start: usize, piece: &mut [E]| {
        f.write(piece, Run::new(a, start, 1), Run::new(b, start, 1));
    });
    out
}

fn fresh<E: Element, T: Plain>(
    plan: &Plan,
    a: &[E],
    b: &[E],
    write: impl Fn(&mut [T], Run<'_, E>, Run<'_, E>) + Sync,
) -> Buffer<T> {
    let mut out = Buffer::dirty(plan.numel());
    let visit = |out: &mut [T], [l0, r0]: [usize; 2], l: Loop| {
        write(out, Run::new(a, l0, l.lhs), Run::new(b, r0, l.rhs));
    };
    runs(plan, out.fresh(), true, &visit);
    out
}

/// `f(a, b)` over the broadcast shape as truth values, 1 or 0.
pub(crate) fn compare<E: Element>(
    plan: &Plan,
    a: &[E],
    b: &[E],
    f: &dyn Pairs<E, u8>,
) -> Buffer<u8> {
    fresh(plan, a, b, |out, a, b| f.write(out, a, b))
}

/// The loops of what the backward of a binary operation computes.
pub(crate) trait ZipWith<E>: Sync {
    /// Replaces every gradient by the function of it and both operands.
    fn update(&self, g: &mut [E], a: Run<'_, E>, b: Run<'_, E>);
}

impl<E: Element, F: Fn(E, E, E) -> E + Sync> ZipWith<E> for F {
    fn update(&self, g: &mut [E], a: Run<'_, E>, b: Run<'_, E>) {
        let n = g.len();
        match (a.step, b.step) {
            (1, 1) => {
                for ((g, &a), &b) in g.iter_mut().zip(&a.values[..n]).zip(&b.values[..n]) {
                    *g = self(*g, a, b);
                }
            }
            (1, _) => {
                let b = b.values[0];
                update(g, a, |g, a| self(g, a, b));
            }
            _ => {
                let a = a.values[0];
                update(g, b, |g, b| self(g, a, b));
            }
        }
    }
}

/// `f(g, a, b)`, where `g` has the broadcast shape: what the backward of a binary operation computes.
///
/// An operand that was not saved counts as zero.
pub(crate) fn zip_with<E: Element>(
    plan: &Plan,
    g: Buffer<E>,
    a: Option<&[E]>,
    b: Option<&[E]>,
    f: &dyn ZipWith<E>,
) -> Buffer<E> {
    let mut g = g;
    let zero = [E::zero()];
    // The step of what was not saved is 0 everywhere.
    let (a, lhs) = (a.unwrap_or(&zero), usize::from(a.is_some()));
    let (b, rhs) = (b.unwrap_or(&zero), usize::from(b.is_some()));
    let visit = |g: &mut [E], [l0, r0]: [usize; 2], l: Loop| {
        let a = Run::new(a, l0 * lhs, l.lhs * lhs);
        let b = Run::new(b, r0 * rhs, l.rhs * rhs);
        f.update(g, a, b);
    };
    runs(plan, g.make_mut(), false, &visit);
    g
}

/// `a + b` of two gradients, in place on one that nobody else holds.
pub(crate) fn accumulate<E: Element>(mut a: Buffer<E>, mut b: Buffer<E>) -> Buffer<E> {
    zip_equal(Source::Owned(&mut a), Source::Owned(&mut b), &|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use crate::kernel::wide::tests::{at_each_level, ulps};
    use crate::{Tensor, shape};

    const MANY: usize = 4099;
    type Block<E> = Tensor<1, shape![MANY], E>;

    fn numbers_by(number: impl Fn(usize) -> f32) -> Block<f32> {
        Tensor::from_vec((0..MANY).map(number).collect()).unwrap()
    }

    /// Numbers of all sizes and both signs.
    fn numbers(step: f64) -> Block<f32> {
        numbers_by(|i| {
            let share = (i as f64 * step).fract();
            f32::from_bits((share * f64::from(u32::MAX)) as u32)
        })
    }

    #[test]
    fn functions_of_two_are_right_with_operands_of_every_form() {
        type Function<E> = fn(&Block<E>, &Block<E>) -> Block<E>;
        let functions: [(&str, f64, Function<f32>, Function<f64>); 2] = [
            ("hypot", 2.0, |a, b| a.hypot(b), |a, b| a.hypot(b)),
            (
                "logaddexp",
                2.0,
                |a, b| a.logaddexp(b),
                |a, b| a.logaddexp(b),
            ),
        ];
        let sized = |step: f64, scale: f32| -> Block<f32> {
            numbers_by(|i| ((i as f64 * step).fract() as f32 - 0.5) * scale)
        };
        let operands = [
            (numbers(0.618_034), numbers(0.414_214)),
            (sized(0.618_034, 30.0), sized(0.414_214, 10.0)),
            (sized(0.618_034, 1e-39), sized(0.414_214, 1e-38)),
            (Tensor::full(3.0), sized(0.414_214, 1.0)),
        ];
        for (name, bound, single, double) in functions {
            for (a, b) in &operands {
                let exact = double(&a.cast(), &b.cast());
                at_each_level(|level| {
                    for (found, right) in single(a, b).iter().zip(&exact) {
                        // Near 0 the terms of a logarithm of a sum cancel.
                        let room = if name == "logaddexp" { 1e-6 } else { 0.0 };
                        let near = (f64::from(found) - right).abs() <= room;
                        assert!(
                            near || ulps(found, right) <= bound,
                            "{level:?}: {name}, {found:e}, not {right:e}"
                        );
                    }
                });
            }
        }
    }

    #[test]
    fn one_number_goes_with_many_and_gradients_arrive() {
        let many: Block<f32> = numbers_by(|i| i as f32 * 0.001 + 0.5);
        let one = Tensor::scalar(1.5f32);
        at_each_level(|level| {
            let all: Block<f32> = Tensor::full(1.5);
            let same = [
                many.pow(&one).to_vec() == many.pow(&all).to_vec(),
                one.pow(&many).to_vec() == all.pow(&many).to_vec(),
                (&many * 1.0).pow(&one).to_vec() == many.pow(&all).to_vec(),
            ];
            assert_eq!(same, [true; 3], "{level:?}");
            let (a, b) = (many.clone().tracked(), all.clone().tracked());
            a.hypot(&b).sum().backward();
            let (down, right) = (a.grad().unwrap(), b.grad().unwrap());
            for ((down, right), a) in down.iter().zip(right.iter()).zip(&many) {
                let length = a.hypot(1.5);
                let near = (down - a / length).abs() < 1e-6 && (right - 1.5 / length).abs() < 1e-6;
                assert!(near, "{level:?}: {down} {right} at {a}");
            }
        });
    }
}
