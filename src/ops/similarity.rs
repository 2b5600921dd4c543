//! Cosine similarity, and losses of how near rows lie to each other.

use super::compiled::compiled;
use super::lift::Own;
use super::loss::Reduce;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Source};
use crate::shape::{AnyShape, Dims, HasAxis, MaskOf, RankFamily, Rows, Shape, Split, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

compiled! {
    /// Similarities of rows.
    trait Similarity {
        fn cosine_similarity(x: &Raw<E>, y: &Raw<E>, split: Split, dims: Dims) -> Raw<E>;
        fn cosine_embedding(cosine: &Raw<E>, same: &Buffer<u8>, margin: E, reduce: Reduce, dims: Dims) -> Raw<E>
            => losses(reduce, cosine.own());
        fn triplet_margin(rows: [&Raw<E>; 3], split: Split, margin: E, reduce: Reduce, dims: Dims) -> Raw<E>
            => losses(reduce, split.outer * split.inner);
    }
}

/// The least length that a cosine is divided by, as in PyTorch.
const LEAST_LENGTH: f64 = 1e-8;

struct Cosine<E: Element> {
    split: Split,
    operands: [Buffer<E>; 2],
    /// Of each line of either operand, but at least [`LEAST_LENGTH`].
    lengths: [Buffer<E>; 2],
    output: Buffer<E>,
}

/// The line along the middle axis that element `i` lies on.
fn line(i: usize, split: Split) -> usize {
    i / (split.len * split.inner) * split.inner + i % split.inner
}

impl<E: Element> Rule<E> for Cosine<E> {
    fn name(&self) -> &'static str {
        "cosine_similarity"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let least = E::of(LEAST_LENGTH);
        for i in [0, 1] {
            if to.wanted(i) {
                let (own, other) = (&self.operands[i], &self.operands[1 - i]);
                let (length, across) = (&self.lengths[i], &self.lengths[1 - i]);
                let slope = |k: usize| {
                    let line = line(k, self.split);
                    let along = if length[line] > least {
                        own[k] / length[line] * self.output[line]
                    } else {
                        // A length that is held does not change.
                        E::zero()
                    };
                    grad[line] * ((other[k] / across[line] - along) / length[line])
                };
                to.give(i, Buffer::from_fn(own.len(), slope));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("lhs", Saved::Values(&self.operands[0]));
        visit("rhs", Saved::Values(&self.operands[1]));
        visit("lhs_lengths", Saved::Values(&self.lengths[0]));
        visit("rhs_lengths", Saved::Values(&self.lengths[1]));
        visit("output", Saved::Values(&self.output));
    }
}

/// The sums of squares over the middle axis.
fn squares<E: Element>(x: &[E], split: Split) -> Buffer<E> {
    kernel::sum_axis_by(x, split, &|value, _| value * value)
}

fn cosine_similarity<E: Element>(x: &Raw<E>, y: &Raw<E>, split: Split, dims: Dims) -> Raw<E> {
    let operands = [x.values.clone(), y.values.clone()];
    let products = kernel::zip_equal(
        Source::Shared(&x.values),
        Source::Shared(&y.values),
        &|a, b| a * b,
    );
    let dots = kernel::sum_axis(&products, split);
    let least = E::of(LEAST_LENGTH);
    let lengths = [&x.values, &y.values].map(|values| {
        let length = |sum: E| {
            if sum.sqrt() < least {
                least
            } else {
                sum.sqrt()
            }
        };
        kernel::map_owned(squares(values, split), &length)
    });
    let values = Buffer::from_fn(dots.len(), |line| {
        held_to_one(dots[line] / lengths[0][line] / lengths[1][line])
    });
    let node = parents([x.node.as_ref(), y.node.as_ref()]).map(|parents| {
        let output = values.clone();
        let rule = Cosine {
            split,
            operands,
            lengths,
            output,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

/// A cosine without the rounding that carried it beyond ±1, where it would have no angle.
fn held_to_one<E: Element>(cosine: E) -> E {
    let one = E::one();
    let beyond = if cosine > one {
        cosine - one
    } else if cosine < -one {
        cosine + one
    } else {
        return cosine;
    };
    // As a constant: how the cosine moves is not rounding.
    cosine - beyond.to_f64().map_or(E::zero(), E::of)
}

struct CosineEmbedding<E: Element> {
    reduce: Reduce,
    margin: E,
    /// 1 where both rows should be alike.
    same: Buffer<u8>,
    cosine: Buffer<E>,
}

impl<E: Element> Rule<E> for CosineEmbedding<E> {
    fn name(&self) -> &'static str {
        "cosine_embedding"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let rows = self.same.len();
        let share = self.reduce.share(&grad, rows);
        let slope = |row: usize| {
            if self.same[row] == 1 {
                -share(row)
            } else if self.cosine[row] <= self.margin {
                E::zero()
            } else {
                share(row)
            }
        };
        to.give(0, Buffer::from_fn(rows, slope));
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        let margin = self.margin.to_f64().unwrap_or(f64::NAN);
        visit("margin", Saved::Number(margin));
        visit("same", Saved::Flags(&self.same));
        visit("cosine", Saved::Values(&self.cosine));
    }
}

fn cosine_embedding<E: Element>(
    cosine: &Raw<E>,
    same: &Buffer<u8>,
    margin: E,
    reduce: Reduce,
    dims: Dims,
) -> Raw<E> {
    let losses = Buffer::from_fn(same.len(), |row| {
        let cosine = cosine.values[row];
        if same[row] == 1 {
            E::one() - cosine
        } else if cosine <= margin {
            E::zero()
        } else {
            cosine - margin
        }
    });
    let node = parents([cosine.node.as_ref()]).map(|parents| {
        let rule = CosineEmbedding {
            reduce,
            margin,
            same: same.clone(),
            cosine: cosine.values.clone(),
        };
        parents.record(dims, rule)
    });
    Raw {
        values: reduce.of(losses),
        node,
    }
}

/// What PyTorch adds to each difference, so that equal rows have a direction.
const OFFSET: f64 = 1e-6;

struct Triplet<E: Element> {
    reduce: Reduce,
    split: Split,
    /// Anchor − positive and anchor − negative.
    differences: [Buffer<E>; 2],
    /// Of each row.
    distances: [Buffer<E>; 2],
    /// Of each row, not below 0.
    losses: Buffer<E>,
}

impl<E: Element> Rule<E> for Triplet<E> {
    fn name(&self) -> &'static str {
        "triplet_margin"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let share = self.reduce.share(&grad, self.losses.len());
        // The direction of either difference, times the gradient of its row's loss.
        let pull = |side: usize, k: usize| {
            let row = k / self.split.len;
            let distance = self.distances[side][row];
            if self.losses[row] == E::zero() || distance == E::zero() {
                E::zero()
            } else {
                self.differences[side][k] / distance * share(row)
            }
        };
        let slopes: [&dyn Fn(usize) -> E; 3] =
            [&|k| pull(0, k) - pull(1, k), &|k| -pull(0, k), &|k| {
                pull(1, k)
            }];
        for (i, slope) in slopes.into_iter().enumerate() {
            if to.wanted(i) {
                to.give(i, Buffer::from_fn(self.differences[0].len(), slope));
            }
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        visit("to_positive", Saved::Values(&self.differences[0]));
        visit("to_negative", Saved::Values(&self.differences[1]));
        visit("positive_distance", Saved::Values(&self.distances[0]));
        visit("negative_distance", Saved::Values(&self.distances[1]));
        visit("losses", Saved::Values(&self.losses));
    }
}

fn triplet_margin<E: Element>(
    [anchor, positive, negative]: [&Raw<E>; 3],
    split: Split,
    margin: E,
    reduce: Reduce,
    dims: Dims,
) -> Raw<E> {
    let offset = E::of(OFFSET);
    let differences = [positive, negative].map(|other| {
        kernel::zip_equal(
            Source::Shared(&anchor.values),
            Source::Shared(&other.values),
            &|a, b| a - b + offset,
        )
    });
    let distances = [0, 1].map(|side: usize| {
        let squares = squares(&differences[side], split);
        kernel::map_owned(squares, &|sum: E| sum.sqrt())
    });
    let losses = Buffer::from_fn(split.outer, |row| {
        let loss = distances[0][row] - distances[1][row] + margin;
        if loss <= E::zero() { E::zero() } else { loss }
    });
    let values = reduce.of(losses.clone());
    let nodes = [anchor, positive, negative].map(|raw| raw.node.as_ref());
    let node = parents(nodes).map(|parents| {
        let rule = Triplet {
            reduce,
            split,
            differences,
            distances,
            losses,
        };
        parents.record(dims, rule)
    });
    Raw { values, node }
}

/// The rows of a shape, as a split.
const fn rows<S: Rows>() -> Split {
    Split {
        outer: <S::Batch as AnyShape>::NUMEL,
        len: S::WIDTH,
        inner: 1,
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {
    /// The cosine of the angle between lines along axis `AXIS`: x·y/(‖x‖·‖y‖). PyTorch:
    /// `cosine_similarity(dim=AXIS)`.
    ///
    /// Both have shape `S`, with no broadcasting; the axis goes. A length below 10⁻⁸ counts as 10⁻⁸, so that a line of
    /// zeros has cosine 0; its gradient is y/(10⁻⁸·‖y‖), as in PyTorch. Elsewhere the gradient is
    /// (y/‖y‖ − cos·x/‖x‖)/‖x‖. Rounding carries no cosine beyond ±1.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[3.0f32, 4.0], [1.0, 0.0], [0.0, 0.0]]);
    /// let y = Tensor::from([[6.0, 8.0], [0.0, 2.0], [1.0, 1.0]]);
    /// assert_eq!(x.cosine_similarity::<1>(&y).to_array(), [1.0, 0.0, 0.0]);
    /// ```
    pub fn cosine_similarity<const AXIS: usize>(&self, other: &Self) -> TensorOf<S::Without, E>
    where
        S: HasAxis<AXIS>,
    {
        let dims = <S::Without as AnyShape>::DIMS;
        wrap::<S::Without, E>(<E::Ops as Similarity<E>>::cosine_similarity(
            &self.raw,
            &other.raw,
            S::SPLIT,
            dims,
        ))
    }
}

/// The forms of losses of rows.
macro_rules! row_losses {
    ($(
        $(#[$cosine_doc:meta])* $cosine:ident,
        $(#[$triplet_doc:meta])* $triplet:ident
        as $Reduce:ident -> $Out:ty, $dims:expr;
    )*) => {
        impl<const R: usize, S: Shape<R>, E: Element> Tensor<R, S, E> {$(
            $(#[$cosine_doc])*
            pub fn $cosine(&self, other: &Self, same: &MaskOf<S::Batch>, margin: E) -> TensorOf<$Out, E>
            where
                S: Rows,
            {
                let batch = <S::Batch as AnyShape>::DIMS;
                let cosine = <E::Ops as Similarity<E>>::cosine_similarity(
                    &self.raw, &other.raw, rows::<S>(), batch);
                let same = <<S::Batch as AnyShape>::Rank as RankFamily>::flags::<S::Batch>(same);
                wrap::<$Out, E>(<E::Ops as Similarity<E>>::cosine_embedding(
                    &cosine, &same.0, margin, Reduce::$Reduce, $dims))
            }

            $(#[$triplet_doc])*
            pub fn $triplet(&self, positive: &Self, negative: &Self, margin: E) -> TensorOf<$Out, E>
            where
                S: Rows,
            {
                wrap::<$Out, E>(<E::Ops as Similarity<E>>::triplet_margin(
                    [&self.raw, &positive.raw, &negative.raw], rows::<S>(), margin, Reduce::$Reduce, $dims))
            }
        )*}
    };
}
row_losses! {
    /// The cosine embedding loss of pairs of rows, along the last axis: 1 − cos where both should be alike (`same`),
    /// max(0, cos − `margin`) where they should not. PyTorch: `cosine_embedding_loss`, whose margin is 0 unless told.
    ///
    /// Shapes `(…, N)` twice and a mask of `(…)` to `()`: the mean, NaN over nothing. The cosine is that of
    /// [`cosine_similarity`](Self::cosine_similarity).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[3.0f32, 4.0], [3.0, 4.0]]);
    /// let y = Tensor::from([[6.0, 8.0], [6.0, 8.0]]);
    /// let same = Mask::<1, shape![2]>::from_array([true, false]);
    /// assert_eq!(x.cosine_embedding(&y, &same, 0.5).item(), 0.25);
    /// ```
    cosine_embedding,
    /// The triplet loss of rows along the last axis, max(0, d(x, `positive`) − d(x, `negative`) + `margin`), with d the
    /// length of the difference. PyTorch: `triplet_margin_loss`, whose margin is 1 unless told.
    ///
    /// Three tensors of shape `S` to `()`: the mean over the rows, NaN over nothing. As in PyTorch 10⁻⁶ is added to
    /// each difference, which gives equal rows a direction (Balntas et al. 2016).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let anchor = Tensor::from([[0.0f64, 0.0]]);
    /// let loss = anchor.triplet_margin(&Tensor::from([[3.0, 4.0]]), &Tensor::from([[1.0, 0.0]]), 1.0);
    /// assert!((loss.item() - 5.0).abs() < 1e-5);
    /// ```
    triplet_margin as Mean -> (), &[];

    /// [`cosine_embedding`](Self::cosine_embedding) with the losses added up. PyTorch:
    /// `cosine_embedding_loss(reduction="sum")`.
    cosine_embedding_sum,
    /// [`triplet_margin`](Self::triplet_margin) with the losses added up. PyTorch:
    /// `triplet_margin_loss(reduction="sum")`.
    triplet_margin_sum as Sum -> (), &[];

    /// [`cosine_embedding`](Self::cosine_embedding) with the loss of each pair. PyTorch:
    /// `cosine_embedding_loss(reduction="none")`.
    cosine_embedding_none,
    /// [`triplet_margin`](Self::triplet_margin) with the loss of each row. PyTorch:
    /// `triplet_margin_loss(reduction="none")`.
    triplet_margin_none as Each -> S::Batch, <S::Batch as AnyShape>::DIMS;
}
