//! Cross-entropy of scores against classes: plain, with options, against distributions, and of log-probabilities.

use super::argument::{Argument, Handed, Lend};
use super::compiled::compiled;
use super::lift::{Lifting, Marks, Own};
use super::loss::Reduce;
use super::softmax::log_softmax;
use crate::element::{Element, count};
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel;
use crate::shape::{AnyShape, Classes, Dims, Rank, Rows, SameShape, Shape, Split, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Indices, Mask, Raw, Tensor, wrap};

compiled! {
    /// Cross-entropies.
    trait Entropy {
        fn cross_entropy(x: &Raw<E>, targets: &Buffer<usize>, classes: usize, reduce: Reduce, dims: Dims) -> Raw<E>
            => losses(reduce, targets.own());
        fn cross_entropy_soft(x: &Raw<E>, targets: &Raw<E>, rows: Split, reduce: Reduce, dims: [Dims; 2]) -> Raw<E>
            => losses(reduce, rows.outer);
        fn nll(x: &Raw<E>, targets: &Buffer<usize>, classes: usize, options: Options<'_, E>, reduce: Reduce, dims: Dims) -> Raw<E>
            => by_example;
        fn log_probabilities(x: &Raw<E>, rows: Split, dims: Dims) -> Raw<E>;
    }
}

struct CrossEntropyRule<E: Element> {
    reduce: Reduce,
    probabilities: Buffer<E>,
    targets: Buffer<usize>,
}

impl<E: Element> Rule<E> for CrossEntropyRule<E> {
    fn name(&self) -> &'static str {
        "cross_entropy"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let rows = self.targets.len();
        let classes = self.probabilities.len() / rows.max(1);
        let share = self.reduce.share(&grad, rows);
        let mut out = if self.reduce == Reduce::Each {
            let mut out = Buffer::from_slice(&self.probabilities);
            for (row, values) in out.fresh().chunks_exact_mut(classes.max(1)).enumerate() {
                values.iter_mut().for_each(|p| *p *= share(row));
            }
            out
        } else {
            let scale = grad[0] / self.reduce.divisor(rows);
            kernel::map(kernel::Source::Shared(&self.probabilities), &|p| p * scale)
        };
        let values = out.fresh();
        for (row, &target) in self.targets.iter().enumerate() {
            values[row * classes + target] -= share(row);
        }
        to.give(0, out);
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("probabilities", Saved::Values(&self.probabilities));
        visit("targets", Saved::Positions(&self.targets));
    }
}

fn cross_entropy<E: Element>(
    x: &Raw<E>,
    targets: &Buffer<usize>,
    classes: usize,
    reduce: Reduce,
    dims: Dims,
) -> Raw<E> {
    let (losses, probabilities) = kernel::cross_entropy(&x.values, targets, classes);
    Raw {
        values: reduce.of(losses),
        node: parents([x.node.as_ref()]).map(|parents| {
            let targets = targets.clone();
            let rule = CrossEntropyRule {
                reduce,
                probabilities,
                targets,
            };
            parents.record(dims, rule)
        }),
    }
}

/// Rows of log-probabilities.
fn log_probabilities<E: Element>(x: &Raw<E>, rows: Split, dims: Dims) -> Raw<E> {
    log_softmax(x, rows, dims)
}

/// So many rows of this length.
const fn rows(outer: usize, len: usize) -> Split {
    Split {
        outer,
        len,
        inner: 1,
    }
}

/// [`CrossEntropy`] without its shapes.
#[derive(Clone, Copy)]
pub(crate) struct Options<'a, E: Element> {
    weights: Option<&'a [E]>,
    smoothing: E,
    ignored: Option<&'a Buffer<u8>>,
}

/// Options that hold what they refer to.
pub(crate) struct HeldOptions<'a, E: Element> {
    options: Options<'a, E>,
    ignored: Option<Handed<'a, Buffer<u8>>>,
}

impl<'x, E: Element> Lend for HeldOptions<'x, E> {
    type Lent<'a>
        = Options<'a, E>
    where
        'x: 'a;
    fn lend(&mut self) -> Options<'_, E> {
        Options {
            ignored: self.ignored.as_deref(),
            ..self.options
        }
    }
}

impl<'a, E: Element> Argument for Options<'a, E> {
    type Held = HeldOptions<'a, E>;
    fn is_mapped(&self) -> bool {
        self.ignored.is_some_and(|ignored| ignored.is_mapped())
    }
    fn note(&self, marks: &mut Marks) {
        self.ignored.iter().for_each(|ignored| ignored.note(marks));
    }
    fn given(self) -> Self::Held {
        HeldOptions {
            options: self,
            ignored: self.ignored.map(Handed::Lent),
        }
    }
    fn whole(self, lifting: &Lifting) -> Self::Held {
        HeldOptions {
            options: self,
            ignored: self.ignored.map(|ignored| ignored.whole(lifting)),
        }
    }
    fn example(&self, lifting: &Lifting, i: usize) -> Self::Held {
        HeldOptions {
            options: *self,
            ignored: self.ignored.map(|ignored| (&ignored).example(lifting, i)),
        }
    }
}

struct Nll<E: Element> {
    reduce: Reduce,
    /// The number of classes.
    classes: usize,
    targets: Buffer<usize>,
    weights: Option<Buffer<E>>,
    smoothing: E,
    /// 1 where a row does not count.
    ignored: Option<Buffer<u8>>,
    /// What the sum is divided by in the mean; ∞ where nothing counts, so that the mean is 0.
    divisor: E,
}

impl<E: Element> Nll<E> {
    fn counts(&self, row: usize) -> bool {
        self.ignored.as_ref().is_none_or(|flags| flags[row] == 0)
    }

    fn weight(&self, class: usize) -> E {
        self.weights
            .as_ref()
            .map_or(E::one(), |weights| weights[class])
    }

    /// Calls `f` with the places of a row that count in its loss, and how much.
    fn visit(&self, row: usize, mut f: impl FnMut(usize, E)) {
        let target = self.targets[row];
        let (first, one) = (row * self.classes, E::one());
        if !self.counts(row) {
            return;
        }
        if self.smoothing == E::zero() {
            return f(first + target, self.weight(target));
        }
        let even = self.smoothing / count(self.classes);
        for class in 0..self.classes {
            let own = if class == target {
                one - self.smoothing
            } else {
                E::zero()
            };
            f(first + class, self.weight(class) * (even + own));
        }
    }
}

impl<E: Element> Rule<E> for Nll<E> {
    fn name(&self) -> &'static str {
        "nll"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let rows = self.targets.len();
        let mean = self.reduce == Reduce::Mean;
        let share = self.reduce.share(&grad, 1);
        to.add_into(0, |sum| {
            for row in 0..rows {
                let g = if mean {
                    grad[0] / self.divisor
                } else {
                    share(row)
                };
                self.visit(row, |place, part| sum[place] -= part * g);
            }
        });
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("targets", Saved::Positions(&self.targets));
        if let Some(weights) = &self.weights {
            visit("weights", Saved::Values(weights));
        }
        if let Some(ignored) = &self.ignored {
            visit("ignored", Saved::Flags(ignored));
        }
        let smoothing = self.smoothing.to_f64().unwrap_or(f64::NAN);
        visit("smoothing", Saved::Number(smoothing));
    }
}

fn nll<E: Element>(
    x: &Raw<E>,
    targets: &Buffer<usize>,
    classes: usize,
    options: Options<'_, E>,
    reduce: Reduce,
    dims: Dims,
) -> Raw<E> {
    let mut rule = Nll {
        reduce,
        classes,
        targets: targets.clone(),
        weights: options.weights.map(Buffer::from_slice),
        smoothing: options.smoothing,
        ignored: options.ignored.cloned(),
        divisor: E::zero(),
    };
    let rows = targets.len();
    let counted = Buffer::from_fn(rows, |row| {
        if rule.counts(row) {
            rule.weight(targets[row])
        } else {
            E::zero()
        }
    });
    let total = kernel::sum(&counted);
    rule.divisor = if total == E::zero() && rows > 0 {
        E::infinity()
    } else {
        total
    };
    let losses = Buffer::from_fn(rows, |row| {
        let mut loss = E::zero();
        rule.visit(row, |place, part| {
            // Nothing of −∞ is nothing.
            if part != E::zero() {
                loss -= part * x.values[place];
            }
        });
        loss
    });
    let values = if reduce == Reduce::Mean {
        Buffer::filled(1, kernel::sum(&losses) / rule.divisor)
    } else {
        reduce.of(losses)
    };
    let node = parents([x.node.as_ref()]).map(|parents| parents.record(dims, rule));
    Raw { values, node }
}

struct Soft<E: Element> {
    reduce: Reduce,
    /// The number of rows.
    rows: usize,
    logs: Buffer<E>,
    targets: Buffer<E>,
}

impl<E: Element> Rule<E> for Soft<E> {
    fn name(&self) -> &'static str {
        "cross_entropy_soft"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let share = self.reduce.share(&grad, self.rows);
        let classes = self.targets.len() / self.rows.max(1);
        for (i, factors) in [&self.targets, &self.logs].into_iter().enumerate() {
            if to.wanted(i) {
                let slope = |place: usize| -factors[place] * share(place / classes);
                to.give(i, Buffer::from_fn(factors.len(), slope));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("logs", Saved::Values(&self.logs));
        visit("targets", Saved::Values(&self.targets));
    }
}

fn cross_entropy_soft<E: Element>(
    x: &Raw<E>,
    targets: &Raw<E>,
    rows: Split,
    reduce: Reduce,
    [dims, result]: [Dims; 2],
) -> Raw<E> {
    let logs = log_probabilities(x, rows, dims);
    let (rows, classes) = (rows.outer, rows.len);
    let losses = Buffer::from_fn(rows, |row| {
        let range = row * classes..(row + 1) * classes;
        let pairs = targets.values[range.clone()]
            .iter()
            .zip(&logs.values[range]);
        let parts = pairs.map(|(&t, &log)| if t.vanishes() { t } else { -t * log });
        parts.fold(E::zero(), |sum, part| sum + part)
    });
    let node = parents([logs.node.as_ref(), targets.node.as_ref()]).map(|parents| {
        let rule = Soft {
            reduce,
            rows,
            logs: logs.values.clone(),
            targets: targets.values.clone(),
        };
        parents.record(result, rule)
    });
    Raw {
        values: reduce.of(losses),
        node,
    }
}

/// What [`Tensor::cross_entropy_with`] takes beside scores and targets; `..Default::default()` leaves out the rest.
///
/// ```
/// use shapeproof::loss::CrossEntropy;
/// use shapeproof::prelude::*;
///
/// // −100 marks what is not to be judged.
/// let (targets, ignored) = Indices::<1, shape![3], 2>::from_slice_ignoring(&[1, -100, 0], -100)?;
/// let options = CrossEntropy { ignored: Some(&ignored), smoothing: 0.1, ..Default::default() };
/// let loss = Tensor::<2, shape![3, 2]>::zeros().cross_entropy_with(&targets, options);
/// assert_eq!(loss.item(), 2f32.ln());
/// # Ok::<(), shapeproof::error::IndexError>(())
/// ```
pub struct CrossEntropy<'a, const R: usize, T: AnyShape<Rank = Rank<R>>, const C: usize, E: Element>
{
    /// How much each class counts; all 1 if there are none. They are data: no gradient flows to them.
    pub weights: Option<&'a [E; C]>,
    /// The part of each target that is spread evenly over all classes, from 0 to 1.
    pub smoothing: E,
    /// True where a target is to be left out.
    pub ignored: Option<&'a Mask<R, T>>,
}

impl<const R: usize, T: AnyShape<Rank = Rank<R>>, const C: usize, E: Element> Default
    for CrossEntropy<'_, R, T, C, E>
{
    fn default() -> Self {
        CrossEntropy {
            weights: None,
            smoothing: E::zero(),
            ignored: None,
        }
    }
}

impl<const R: usize, T: AnyShape<Rank = Rank<R>>, const C: usize, E: Element> Clone
    for CrossEntropy<'_, R, T, C, E>
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<const R: usize, T: AnyShape<Rank = Rank<R>>, const C: usize, E: Element> Copy
    for CrossEntropy<'_, R, T, C, E>
{
}

impl<'a, const R: usize, T: AnyShape<Rank = Rank<R>>, const C: usize, E: Element>
    CrossEntropy<'a, R, T, C, E>
{
    #[track_caller]
    fn untyped(self) -> Options<'a, E> {
        let smoothing = self.smoothing;
        assert!(
            smoothing >= E::zero() && smoothing <= E::one(),
            "cross_entropy_with: a smoothing of {smoothing}, which is not in 0..=1"
        );
        Options {
            weights: self.weights.map(|weights| &weights[..]),
            smoothing,
            ignored: self.ignored.map(|mask| &mask.flags),
        }
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The cross-entropy of these scores (logits) against the right classes: the mean of ln Σ eˣ − x_target.
    /// PyTorch: `cross_entropy`, with the classes along the **last** axis.
    ///
    /// Shapes `(…, C)` and `(…)` to `()`. Softmax and logarithm are fused, so that scores of any size give
    /// exact losses. The mean over nothing is NaN. Gradient (softmax(x) − one_hot(target))/n.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let logits = Tensor::from([[1e8f32, 1e8], [0.0, 0.0]]);
    /// let targets = Indices::<1, shape![2], 2>::from_array([1, 0]).unwrap();
    /// assert_eq!(logits.cross_entropy(&targets).item(), 2f32.ln());
    /// ```
    pub fn cross_entropy<const Q: usize, T, const C: usize>(
        &self,
        targets: &Indices<Q, T, C>,
    ) -> Tensor<0, (), E>
    where
        S: Classes<C>,
        T: Shape<Q> + SameShape<S::Batch>,
    {
        Tensor::from_raw(<E::Ops as Entropy<E>>::cross_entropy(
            &self.raw,
            &targets.values,
            C,
            Reduce::Mean,
            &[],
        ))
    }

    /// [`cross_entropy`](Self::cross_entropy) with the losses added up. PyTorch: `cross_entropy(reduction="sum")`.
    pub fn cross_entropy_sum<const Q: usize, T, const C: usize>(
        &self,
        targets: &Indices<Q, T, C>,
    ) -> Tensor<0, (), E>
    where
        S: Classes<C>,
        T: Shape<Q> + SameShape<S::Batch>,
    {
        Tensor::from_raw(<E::Ops as Entropy<E>>::cross_entropy(
            &self.raw,
            &targets.values,
            C,
            Reduce::Sum,
            &[],
        ))
    }

    /// [`cross_entropy`](Self::cross_entropy) with the loss of each row, in the shape of the targets. PyTorch:
    /// `cross_entropy(reduction="none")`.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let logits = Tensor::from([[1e4f32, 0.0], [0.0, 0.0]]);
    /// let targets = Indices::<1, shape![2], 2>::from_array([1, 0]).unwrap();
    /// let losses: Tensor<1, shape![2]> = logits.cross_entropy_none(&targets);
    /// assert_eq!(losses.to_array(), [1e4, 2f32.ln()]);
    /// ```
    pub fn cross_entropy_none<const Q: usize, T, const C: usize>(
        &self,
        targets: &Indices<Q, T, C>,
    ) -> Tensor<Q, T, E>
    where
        S: Classes<C>,
        T: Shape<Q> + SameShape<S::Batch>,
    {
        Tensor::from_raw(<E::Ops as Entropy<E>>::cross_entropy(
            &self.raw,
            &targets.values,
            C,
            Reduce::Each,
            T::DIMS,
        ))
    }
}

/// One form of each of the other losses against classes: their result has shape `()` or that of the targets.
macro_rules! forms {
    ($(
        $(#[$with_doc:meta])* $with:ident,
        $(#[$nll_doc:meta])* $nll:ident
        as $Reduce:ident -> $Out:ty, $dims:expr;
    )*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$with_doc])*
            #[track_caller]
            pub fn $with<const Q: usize, T, const C: usize>(
                &self,
                targets: &Indices<Q, T, C>,
                options: CrossEntropy<'_, Q, T, C, E>,
            ) -> $Out
            where
                S: Classes<C>,
                T: Shape<Q> + SameShape<S::Batch>,
            {
                let options = options.untyped();
                let logs = <E::Ops as Entropy<E>>::log_probabilities(&self.raw, rows(T::NUMEL, C), S::DIMS);
                <$Out>::from_raw(<E::Ops as Entropy<E>>::nll(
                    &logs, &targets.values, C, options, Reduce::$Reduce, $dims))
            }

            $(#[$nll_doc])*
            pub fn $nll<const Q: usize, T, const C: usize>(&self, targets: &Indices<Q, T, C>) -> $Out
            where
                S: Classes<C>,
                T: Shape<Q> + SameShape<S::Batch>,
            {
                let options = CrossEntropy::<Q, T, C, E>::default().untyped();
                <$Out>::from_raw(<E::Ops as Entropy<E>>::nll(
                    &self.raw, &targets.values, C, options, Reduce::$Reduce, $dims))
            }
        )*}
    };
}
forms! {
    /// [`cross_entropy`](Self::cross_entropy) with class weights, smoothed targets or targets left out. PyTorch:
    /// `cross_entropy(weight=…, label_smoothing=…, ignore_index=…)`.
    ///
    /// Shapes `(…, C)` and `(…)` to `()`. With weights w and a smoothing s, a row costs (1 − s)·w_target·l_target
    /// + s/C·Σ w·l, where l = −log_softmax(x); the mean divides by the sum of the w_target that count. A row left
    /// out costs nothing and gets no gradient; where all are left out, the mean is 0 and so is its gradient, where
    /// PyTorch has NaN. See [`CrossEntropy`].
    ///
    /// # Panics
    /// If the smoothing is not from 0 to 1.
    ///
    /// ```
    /// # use shapeproof::loss::CrossEntropy;
    /// # use shapeproof::prelude::*;
    /// let targets = Indices::<1, shape![2], 2>::from_array([1, 0]).unwrap();
    /// let logits = Tensor::from([[0.0f32, 0.0], [1e4, 0.0]]);
    /// let options = CrossEntropy { weights: Some(&[1.0, 3.0]), ..Default::default() };
    /// assert_eq!(logits.cross_entropy_with(&targets, options).item(), 0.75 * 2f32.ln());
    /// ```
    cross_entropy_with,
    /// The negative log-likelihood of the right classes, given log-probabilities: the mean of −x_target. PyTorch:
    /// `nll_loss`, with the classes along the **last** axis.
    ///
    /// Shapes `(…, C)` and `(…)` to `()`. The mean over nothing is NaN. Gradient −one_hot(target)/n. With options,
    /// use [`cross_entropy_with`](Self::cross_entropy_with), which gives the same for log-probabilities.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let targets = Indices::<1, shape![2], 2>::from_array([1, 0]).unwrap();
    /// assert_eq!(Tensor::from([[-3.0f32, -1.0], [-2.0, -4.0]]).nll(&targets).item(), 1.5);
    /// ```
    nll as Mean -> Tensor<0, (), E>, &[];

    /// [`cross_entropy_with`](Self::cross_entropy_with) with the losses added up. PyTorch:
    /// `cross_entropy(weight=…, label_smoothing=…, ignore_index=…, reduction="sum")`.
    cross_entropy_with_sum,
    /// [`nll`](Self::nll) with the losses added up. PyTorch: `nll_loss(reduction="sum")`.
    nll_sum as Sum -> Tensor<0, (), E>, &[];

    /// [`cross_entropy_with`](Self::cross_entropy_with) with the loss of each row, in the shape of the targets.
    /// PyTorch: `cross_entropy(weight=…, label_smoothing=…, ignore_index=…, reduction="none")`.
    cross_entropy_with_none,
    /// [`nll`](Self::nll) with the loss of each row, in the shape of the targets. PyTorch:
    /// `nll_loss(reduction="none")`.
    nll_none as Each -> Tensor<Q, T, E>, T::DIMS;
}

macro_rules! soft_forms {
    ($($(#[$doc:meta])* $name:ident $Reduce:ident -> $Out:ty, $dims:expr;)*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$doc])*
            pub fn $name(&self, targets: &Self) -> TensorOf<$Out, E>
            where
                S: Rows,
            {
                let rows = rows(<S::Batch as AnyShape>::NUMEL, S::WIDTH);
                wrap::<$Out, E>(<E::Ops as Entropy<E>>::cross_entropy_soft(
                    &self.raw, &targets.raw, rows, Reduce::$Reduce, [S::DIMS, $dims]))
            }
        )*}
    };
}
soft_forms! {
    /// The cross-entropy of these scores (logits) against distributions over the classes along the **last** axis:
    /// the mean over the rows of −Σ t·log_softmax(x). PyTorch: `cross_entropy(input, probabilities)`.
    ///
    /// Both have shape `S`, with no broadcasting. A t of 0 contributes 0, even where x is −∞. Gradient (softmax(x)·Σ t
    /// − t)/n; that of t is −log_softmax(x)/n. The mean over nothing is NaN.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let logits = Tensor::from([[f32::NEG_INFINITY, 0.0, 0.0]]);
    /// let loss = logits.cross_entropy_soft(&Tensor::from([[0.0, 0.5, 0.5]]));
    /// assert_eq!(loss.item(), 2f32.ln());
    /// ```
    cross_entropy_soft Mean -> (), &[];
    /// [`cross_entropy_soft`](Self::cross_entropy_soft) with the losses added up. PyTorch: `cross_entropy(input,
    /// probabilities, reduction="sum")`.
    cross_entropy_soft_sum Sum -> (), &[];
    /// [`cross_entropy_soft`](Self::cross_entropy_soft) with the loss of each row. PyTorch: `cross_entropy(input,
    /// probabilities, reduction="none")`.
    cross_entropy_soft_none Each -> S::Batch, <S::Batch as AnyShape>::DIMS;
}
