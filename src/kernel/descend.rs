//! Steps of optimizers: loops over a parameter, its gradient and what is remembered of it.

use super::parallel::{self, CHUNK, Parts};
use super::wide::widest;
use crate::element::Element;

/// What a step of gradient descent multiplies by.
#[derive(Clone, Copy)]
pub(crate) struct Descent<E> {
    /// -1 to climb.
    pub(crate) sign: E,
    pub(crate) lr: E,
    /// The multiple of the parameter that is added to its gradient.
    pub(crate) decay: E,
    /// How much of the momentum is kept, and how much of the gradient it takes.
    pub(crate) keep: E,
    pub(crate) take: E,
    /// How far Nesterov's momentum looks ahead.
    pub(crate) ahead: Option<E>,
}

/// What a step of Adam multiplies by.
#[derive(Clone, Copy)]
pub(crate) struct Adaption<E> {
    /// -1 to climb.
    pub(crate) sign: E,
    /// The multiple of the parameter that is added to its gradient.
    pub(crate) decay: E,
    /// What is left of the parameter itself.
    pub(crate) kept: E,
    /// What the mean of gradients takes of a gradient.
    pub(crate) take1: E,
    /// What the mean of squares keeps, and what it takes of a square.
    pub(crate) keep2: E,
    pub(crate) take2: E,
    /// The step's length where mean and root of the mean square are equal, and what is added to the latter.
    pub(crate) size: E,
    pub(crate) eps: E,
}

/// Moves `values` against `grad`.
pub(crate) fn descend<E: Element>(by: &Descent<E>, values: &mut [E], grad: &[E]) {
    chunks([values], grad, &|[values], grad| plain(by, values, grad));
}

/// The same with momentum.
pub(crate) fn descend_with_momentum<E: Element>(
    by: &Descent<E>,
    values: &mut [E],
    momentum: &mut [E],
    grad: &[E],
) {
    chunks([values, momentum], grad, &|[values, momentum], grad| {
        with_momentum(by, values, momentum, grad);
    });
}

/// A step of Adam. `moments` are the running means of gradients and of their squares.
pub(crate) fn adapt<E: Element>(
    by: &Adaption<E>,
    values: &mut [E],
    [mean, square]: [&mut [E]; 2],
    grad: &[E],
) {
    chunks(
        [values, mean, square],
        grad,
        &|[values, mean, square], grad| by_square(by, values, mean, square, grad),
    );
}

/// The same where the largest mean of squares so far counts.
pub(crate) fn adapt_to_largest<E: Element>(
    by: &Adaption<E>,
    values: &mut [E],
    [mean, square, largest]: [&mut [E]; 3],
    grad: &[E],
) {
    let of = [values, mean, square, largest];
    chunks(of, grad, &|[values, mean, square, largest], grad| {
        by_largest(by, values, mean, square, largest, grad);
    });
}

/// What is done to slices of equal length, given the gradient at the same places.
type Step<'a, E, const N: usize> = &'a (dyn Fn([&mut [E]; N], &[E]) + Sync);

/// Does a step chunk by chunk: on several threads if there are many.
fn chunks<E: Element, const N: usize>(of: [&mut [E]; N], grad: &[E], step: Step<'_, E, N>) {
    let len = grad.len();
    let of = of.map(Parts::new);
    parallel::for_each(len.div_ceil(CHUNK), len, &|i| {
        let (start, end) = (i * CHUNK, len.min((i + 1) * CHUNK));
        // SAFETY: chunks of different numbers do not overlap, and each number runs once.
        let parts = of.each_ref().map(|of| unsafe { of.part(start..end) });
        step(parts, &grad[start..end]);
    });
}

widest! {
    fn plain<E>(by: &Descent<E>, values: &mut [E], grad: &[E]) = plain_each;
    fn with_momentum<E>(by: &Descent<E>, values: &mut [E], momentum: &mut [E], grad: &[E]) = with_momentum_each;
    fn by_square<E>(by: &Adaption<E>, values: &mut [E], mean: &mut [E], square: &mut [E], grad: &[E]) = by_square_each;
    fn by_largest<E>(
        by: &Adaption<E>,
        values: &mut [E],
        mean: &mut [E],
        square: &mut [E],
        largest: &mut [E],
        grad: &[E],
    ) = by_largest_each;
}

impl<E: Element> Descent<E> {
    #[inline(always)]
    fn direction(&self, p: E, g: E) -> E {
        self.sign * g + self.decay * p
    }
}

#[inline(always)]
fn plain_each<E: Element>(by: &Descent<E>, values: &mut [E], grad: &[E]) {
    let by = *by;
    for (p, &g) in values.iter_mut().zip(grad) {
        *p -= by.lr * by.direction(*p, g);
    }
}

#[inline(always)]
fn with_momentum_each<E: Element>(
    by: &Descent<E>,
    values: &mut [E],
    momentum: &mut [E],
    grad: &[E],
) {
    let by = *by;
    for ((p, b), &g) in values.iter_mut().zip(momentum).zip(grad) {
        let g = by.direction(*p, g);
        *b = by.keep * *b + by.take * g;
        let step = match by.ahead {
            Some(mu) => g + mu * *b,
            None => *b,
        };
        *p -= by.lr * step;
    }
}

impl<E: Element> Adaption<E> {
    /// Takes a gradient into the means.
    #[inline(always)]
    fn average(&self, p: E, m: &mut E, v: &mut E, g: E) {
        let g = self.sign * g + self.decay * p;
        *m += self.take1 * (g - *m);
        *v = self.keep2 * *v + self.take2 * g * g;
    }

    #[inline(always)]
    fn moved(&self, p: E, m: E, square: E) -> E {
        self.kept * p - self.size * m / (square.sqrt() + self.eps)
    }
}

#[inline(always)]
fn by_square_each<E: Element>(
    by: &Adaption<E>,
    values: &mut [E],
    mean: &mut [E],
    square: &mut [E],
    grad: &[E],
) {
    let by = *by;
    for (((p, m), v), &g) in values.iter_mut().zip(mean).zip(square).zip(grad) {
        by.average(*p, m, v, g);
        *p = by.moved(*p, *m, *v);
    }
}

#[inline(always)]
fn by_largest_each<E: Element>(
    by: &Adaption<E>,
    values: &mut [E],
    mean: &mut [E],
    square: &mut [E],
    largest: &mut [E],
    grad: &[E],
) {
    let by = *by;
    let of = values.iter_mut().zip(mean).zip(square).zip(largest);
    for ((((p, m), v), top), &g) in of.zip(grad) {
        by.average(*p, m, v, g);
        *top = top.max(*v);
        *p = by.moved(*p, *m, *top);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several chunks, of which the last ends within a vector.
    const LEN: usize = 9 * CHUNK + 13;

    fn numbers(seed: usize) -> Vec<f32> {
        (0..LEN)
            .map(|i| ((i * 7919 + seed * 104_729) % 1013) as f32 / 506.0 - 1.0)
            .collect()
    }

    /// Runs a step on all elements at once and on each by itself.
    fn same_for_each_element<const N: usize>(step: impl Fn([&mut [f32]; N], &[f32])) {
        let grad = numbers(N);
        let start: [_; N] =
            std::array::from_fn(|i| numbers(i).iter().map(|x| x.abs()).collect::<Vec<_>>());
        let [mut all, mut single] = [start.clone(), start];
        step(all.each_mut().map(|of| &mut of[..]), &grad);
        for i in 0..LEN {
            step(single.each_mut().map(|of| &mut of[i..=i]), &grad[i..=i]);
        }
        assert!(all == single, "{N} slices");
    }

    #[test]
    fn elements_know_nothing_of_one_another() {
        for ahead in [None, Some(0.8)] {
            let by = Descent {
                sign: 1.0,
                lr: 0.1,
                decay: 0.01,
                keep: 0.9,
                take: 0.7,
                ahead,
            };
            same_for_each_element(|[p], g| descend(&by, p, g));
            same_for_each_element(|[p, m], g| descend_with_momentum(&by, p, m, g));
        }
        let by = Adaption {
            sign: -1.0,
            decay: 0.01,
            kept: 0.99,
            take1: 0.1,
            keep2: 0.999,
            take2: 0.001,
            size: 0.01,
            eps: 1e-8,
        };
        same_for_each_element(|[p, m, v], g| adapt(&by, p, [m, v], g));
        same_for_each_element(|[p, m, v, top], g| adapt_to_largest(&by, p, [m, v, top], g));
    }
}
