//! Points without a derivative, and the ends of the number line: what comes out, stated number by number.
//!
//! The rules, in this order: the gradient, where there is one; where the function is locally convex or
//! concave, the subgradient of minimum norm; where it is defined by continuity, that, infinity
//! allowed. A reduction's maximum passes its gradient to the first winner, an elementwise maximum of
//! two equal numbers to each half.

use super::{ANY, Real, Row, row};
use shapeproof::prelude::*;
use shapeproof::shape::{Ceil, Pool, Spread};
use std::f64::consts::{FRAC_PI_2, PI};

/// A row with its inputs, and what must come out.
pub struct Point<E: Element> {
    pub row: Row<E>,
    pub inputs: Vec<Vec<E>>,
    pub seed: Vec<E>,
    pub values: Vec<E>,
    /// Of each input; none where no gradient may flow.
    pub grads: Vec<Option<Vec<E>>>,
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// `"label" (x: shape = values, ..) => expression; gives values; of seed [..] back [gradients of x], ..;`
/// `cut` stands for an input that no gradient reaches.
macro_rules! points {
    (@gradient cut) => { None };
    (@gradient $grad:tt) => { Some(numbers(&$grad)) };
    ($E:ident; $($label:literal ($($x:ident: $shape:tt = $input:expr),+) => $body:expr;
        gives $values:expr; of $seed:expr, back $($grad:tt),+;)*) => {
        pub fn points<$E: Real>() -> Vec<Point<$E>> {
            vec![$(Point {
                row: row!($E, $label, ($($x: $shape in ANY),+), $body),
                inputs: vec![$(numbers(&$input)),+],
                seed: numbers(&$seed),
                values: numbers(&$values),
                grads: vec![$(points!(@gradient $grad)),+],
            }),*]
        }
    };
}

fn numbers<E: Element>(values: &[f64]) -> Vec<E> {
    values.iter().map(|&x| E::of(x)).collect()
}

points! { E;
    "relu at 0" (x: [5] = [-1.0, -0.0, 0.0, 2.0, NAN]) => x.relu();
        gives [0.0, 0.0, 0.0, 2.0, NAN]; of [3.0, 5.0, 7.0, 11.0, 13.0], back [0.0, 0.0, 0.0, 11.0, 13.0];
    "leaky_relu at 0" (x: [3] = [-1.0, 0.0, 2.0]) => x.leaky_relu(E::of(0.25));
        gives [-0.25, 0.0, 2.0]; of [4.0, 8.0, 3.0], back [1.0, 2.0, 3.0];
    "elu at 0" (x: [3] = [-INF, 0.0, 2.0]) => x.elu(E::of(0.5));
        gives [-0.5, 0.0, 2.0]; of [4.0, 8.0, 3.0], back [0.0, 4.0, 3.0];
    "abs at 0" (x: [4] = [-2.0, -0.0, 0.0, 3.0]) => x.abs();
        gives [2.0, 0.0, 0.0, 3.0]; of [5.0, 7.0, 7.0, 11.0], back [-5.0, 0.0, 0.0, 11.0];
    "mae at equal" (a: [4] = [1.0, 2.0, 3.0, 4.0], b: [4] = [1.0, 4.0, 3.0, 2.0]) => a.mae(&b);
        gives [1.0]; of [8.0], back [0.0, -2.0, 0.0, 2.0], [0.0, 2.0, 0.0, -2.0];
    "mse at equal" (a: [2] = [1.0, 2.0], b: [2] = [1.0, 4.0]) => a.mse(&b);
        gives [2.0]; of [3.0], back [0.0, -6.0], [0.0, 6.0];

    // The one exception to the least subgradient: a number at the end of the range counts as inside, as
    // in PyTorch, so that clamping what is in range already changes no gradient.
    "clamp at its ends" (x: [4] = [-2.0, -1.0, 2.0, 3.0]) => x.clamp(E::of(-1.0), E::of(2.0));
        gives [-1.0, -1.0, 2.0, 2.0]; of [3.0, 5.0, 7.0, 11.0], back [0.0, 5.0, 7.0, 0.0];
    "clamp_min at its end" (x: [2] = [-2.0, -1.0]) => x.clamp_min(E::of(-1.0));
        gives [-1.0, -1.0]; of [3.0, 5.0], back [0.0, 5.0];
    "clamp_max at its end" (x: [2] = [2.0, 3.0]) => x.clamp_max(E::of(2.0));
        gives [2.0, 2.0]; of [3.0, 5.0], back [3.0, 0.0];
    "clamp of NaN" (x: [3] = [-INF, NAN, INF]) => x.clamp(E::of(-1.0), E::of(2.0));
        gives [-1.0, NAN, 2.0]; of [3.0, 5.0, 7.0], back [0.0, 5.0, 0.0];
    "maximum at ties" (a: [4] = [1.0, 2.0, 3.0, 5.0], b: [4] = [2.0, 2.0, 1.0, 5.0]) => a.maximum(&b);
        gives [2.0, 2.0, 3.0, 5.0]; of [3.0, 8.0, 5.0, -2.0], back [0.0, 4.0, 5.0, -1.0], [3.0, 4.0, 0.0, -1.0];
    "minimum at ties" (a: [4] = [1.0, 2.0, 3.0, 5.0], b: [4] = [2.0, 2.0, 1.0, 5.0]) => a.minimum(&b);
        gives [1.0, 2.0, 1.0, 5.0]; of [3.0, 8.0, 5.0, -2.0], back [3.0, 4.0, 0.0, -1.0], [0.0, 4.0, 5.0, -1.0];
    "maximum at ties, stretched" (a: [3] = [1.0, 2.0, 2.0], b: [] = [2.0]) => a.maximum(&b);
        gives [2.0, 2.0, 2.0]; of [3.0, 8.0, 4.0], back [0.0, 4.0, 2.0], [9.0];
    "maximum of NaN" (a: [2] = [NAN, 1.0], b: [2] = [1.0, NAN]) => a.maximum(&b).square().detach() * &a;
        gives [NAN, NAN]; of [1.0, 1.0], back [NAN, NAN], cut;
    "minimum of NaN" (a: [2] = [NAN, 1.0], b: [2] = [1.0, NAN]) => a.minimum(&b).detach() * &a;
        gives [NAN, NAN]; of [1.0, 1.0], back [NAN, NAN], cut;

    // What is cut off is zero whatever it was, and what is put beside a tensor gets no gradient.
    "tril of NaN" (x: [2, 2] = [1.0, NAN, INF, NAN]) => x.tril(0);
        gives [1.0, 0.0, INF, NAN]; of [3.0, NAN, 5.0, 7.0], back [3.0, 0.0, 5.0, 7.0];
    "triu of infinity" (x: [2, 2] = [1.0, NAN, INF, -INF]) => x.triu(0);
        gives [1.0, NAN, 0.0, -INF]; of [3.0, NAN, INF, 7.0], back [3.0, NAN, 0.0, 7.0];
    "pad with infinity" (x: [2] = [1.0, NAN]) => x.pad::<0, 1, 1>(E::of(-INF));
        gives [-INF, 1.0, NAN, -INF]; of [INF, 3.0, 5.0, NAN], back [3.0, 5.0];
    "pad_reflect of infinity" (x: [2] = [INF, NAN]) => x.pad_reflect::<0, 1, 1>();
        gives [NAN, INF, NAN, INF]; of [1.0, 2.0, 3.0, 5.0], back [7.0, 4.0];

    "max, first of equals" (x: [2, 3] = [1.0, 5.0, 2.0, 5.0, 5.0, 0.0]) => x.max();
        gives [5.0]; of [7.0], back [0.0, 7.0, 0.0, 0.0, 0.0, 0.0];
    "min, first of equals" (x: [2, 3] = [1.0, 5.0, 0.0, 5.0, 0.0, 0.0]) => x.min();
        gives [0.0]; of [7.0], back [0.0, 0.0, 7.0, 0.0, 0.0, 0.0];
    "max, first of equals in rows" (x: [2, 3] = [1.0, 5.0, 5.0, 3.0, 3.0, 3.0]) => x.max_axis::<1>();
        gives [5.0, 3.0]; of [7.0, 11.0], back [0.0, 7.0, 0.0, 11.0, 0.0, 0.0];
    "max, first of equals in columns" (x: [3, 2] = [1.0, 4.0, 5.0, 4.0, 5.0, 4.0]) => x.max_axis::<0>();
        gives [5.0, 4.0]; of [7.0, 11.0], back [0.0, 11.0, 7.0, 0.0, 0.0, 0.0];
    "min, first of equals in rows" (x: [2, 3] = [1.0, 1.0, 5.0, 3.0, 3.0, 3.0]) => x.min_keepdim::<1>();
        gives [1.0, 3.0]; of [7.0, 11.0], back [7.0, 0.0, 0.0, 11.0, 0.0, 0.0];
    "max, first NaN" (x: [2, 3] = [1.0, NAN, NAN, 0.0, 1.0, NAN]) => x.max_axis::<1>();
        gives [NAN, NAN]; of [7.0, 11.0], back [0.0, 7.0, 0.0, 0.0, 0.0, 11.0];
    "min, first NaN" (x: [4] = [1.0, NAN, -5.0, NAN]) => x.min();
        gives [NAN]; of [7.0], back [0.0, 7.0, 0.0, 0.0];
    "max of infinities" (x: [3] = [-INF, -INF, -INF]) => x.max();
        gives [-INF]; of [7.0], back [7.0, 0.0, 0.0];

    // The norm has its minimum there: the least subgradient is 0. Equals share the largest's gradient.
    "norm of zeros" (x: [3] = [0.0, -0.0, 0.0]) => x.norm(E::of(2.0));
        gives [0.0]; of [5.0], back [0.0, 0.0, 0.0];
    "norm(1) with a zero" (x: [3] = [2.0, 0.0, -3.0]) => x.norm(E::one());
        gives [5.0]; of [7.0], back [7.0, 0.0, -7.0];
    "norm(0.5) with a zero" (x: [2] = [4.0, 0.0]) => x.norm(E::of(0.5));
        gives [4.0]; of [7.0], back [7.0, 0.0];
    "norm(inf) of equals" (x: [3] = [2.0, 1.0, -2.0]) => x.norm(E::infinity());
        gives [2.0]; of [8.0], back [4.0, 0.0, -4.0];
    "norm(inf) of zeros" (x: [2] = [0.0, 0.0]) => x.norm(E::infinity());
        gives [0.0]; of [8.0], back [0.0, 0.0];
    "norm(-inf) with a zero" (x: [2] = [0.0, 2.0]) => x.norm(E::neg_infinity());
        gives [0.0]; of [8.0], back [0.0, 0.0];
    "norm(-1) with a zero" (x: [2] = [0.0, 2.0]) => x.norm(E::of(-1.0));
        gives [0.0]; of [8.0], back [0.0, 0.0];
    "norm(0)" (x: [3] = [0.0, 2.0, -3.0]) => x.norm(E::zero());
        gives [2.0]; of [8.0], back [0.0, 0.0, 0.0];
    "norm of NaN" (x: [2] = [NAN, 1.0]) => x.norm(E::of(2.0)).detach() * &x;
        gives [NAN, NAN]; of [1.0, 1.0], back [NAN, NAN];
    "norm of infinity" (x: [2] = [-INF, 1.0]) => x.norm(E::of(2.0)).detach();
        gives [INF]; of [1.0], back cut;
    "prod with one zero" (x: [4] = [2.0, 0.0, 3.0, 4.0]) => x.prod();
        gives [0.0]; of [1.0], back [0.0, 24.0, 0.0, 0.0];
    "prod with two zeros" (x: [3] = [0.0, 0.0, 3.0]) => x.prod();
        gives [0.0]; of [1.0], back [0.0, 0.0, 0.0];
    "prod with a zero in rows" (x: [2, 2] = [2.0, 0.0, 3.0, 4.0]) => x.prod_axis::<1>();
        gives [0.0, 12.0]; of [1.0, 1.0], back [0.0, 2.0, 4.0, 3.0];
    "cumprod with a zero" (x: [4] = [2.0, 0.0, 3.0, 4.0]) => x.cumprod::<0>();
        gives [2.0, 0.0, 0.0, 0.0]; of [1.0, 1.0, 1.0, 1.0], back [1.0, 32.0, 0.0, 0.0];
    "cumprod with a zero and seeds" (x: [3] = [3.0, 0.0, 2.0]) => x.cumprod::<0>();
        gives [3.0, 0.0, 0.0]; of [1.0, 10.0, 100.0], back [1.0, 630.0, 0.0];
    "cumprod of zero" (x: [1] = [0.0]) => x.cumprod::<0>(); gives [0.0]; of [1.0], back [1.0];
    "cumsum of infinities" (x: [4] = [1.0, INF, 2.0, -INF]) => x.cumsum::<0>();
        gives [1.0, INF, INF, NAN]; of [1.0, 2.0, 3.0, 4.0], back [10.0, 9.0, 7.0, 4.0];
    "cumsum of infinite gradients" (x: [3] = [1.0, 2.0, 3.0]) => x.cumsum::<0>();
        gives [1.0, 3.0, 6.0]; of [1.0, INF, 1.0], back [INF, INF, 1.0];
    "logcumsumexp behind masked scores" (x: [4] = [-INF, -INF, 3.0, -INF]) => x.logcumsumexp::<0>();
        gives [-INF, -INF, 3.0, 3.0]; of [2.0, 4.0, 8.0, 16.0], back [0.0, 0.0, 24.0, 0.0];
    "logcumsumexp far out" (x: [3] = [-1e4, 1e4, 0.0]) => x.logcumsumexp::<0>();
        gives [-1e4, 1e4, 1e4]; of [2.0, 4.0, 8.0], back [2.0, 12.0, 0.0];
    "logcumsumexp of NaN" (x: [3] = [1.0, NAN, 2.0]) => x.logcumsumexp::<0>();
        gives [1.0, NAN, NAN]; of [0.0, 0.0, 0.0], back [NAN, NAN, NAN];
    "cummax, first of equals" (x: [5] = [1.0, 3.0, 3.0, 2.0, 4.0]) => x.cummax::<0>().0;
        gives [1.0, 3.0, 3.0, 3.0, 4.0]; of [1.0, 2.0, 4.0, 8.0, 16.0], back [1.0, 14.0, 0.0, 0.0, 16.0];
    "cummin, first NaN" (x: [4] = [1.0, NAN, 0.0, NAN]) => x.cummin::<0>().0;
        gives [1.0, NAN, NAN, NAN]; of [1.0, 2.0, 4.0, 8.0], back [1.0, 14.0, 0.0, 0.0];

    "sort of equals and NaN" (x: [5] = [NAN, 2.0, 0.0, 2.0, -0.0]) => x.sort::<0>().0;
        gives [0.0, 0.0, 2.0, 2.0, NAN]; of [1.0, 2.0, 4.0, 8.0, 16.0], back [16.0, 4.0, 1.0, 8.0, 2.0];
    "sort_descending of equals and NaN" (x: [4] = [2.0, NAN, INF, 2.0]) => x.sort_descending::<0>().0;
        gives [NAN, INF, 2.0, 2.0]; of [1.0, 2.0, 4.0, 8.0], back [4.0, 1.0, 2.0, 8.0];
    "topk of equals" (x: [5] = [1.0, 3.0, 3.0, 3.0, -INF]) => x.topk::<0, 2>().0;
        gives [3.0, 3.0]; of [1.0, 2.0], back [0.0, 1.0, 2.0, 0.0, 0.0];
    "topk in rows" (x: [2, 5] = [1.0, 2.0, 6.0, 4.0, 5.0, 9.0, 5.0, 6.0, 7.0, 8.0]) => x.topk::<1, 2>().0.sum();
        gives [28.0]; of [1.0], back [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    "gather of one place twice" (x: [2, 2] = [1.0, 2.0, 3.0, 4.0])
        => x.gather::<1>(&Indices::<2, shape![2, 2], 2>::from_slice(&[0, 0, 1, 0]).expect("below 2"));
        gives [1.0, 1.0, 4.0, 3.0]; of [1.0, 2.0, 3.0, 4.0], back [3.0, 0.0, 4.0, 3.0];
    "embedding_padded with the padding row" (table: [10, 1] = [7.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
        => table.embedding_padded::<0>(&Indices::<1, shape![5], 10>::from_slice(&[0, 3, 3, 0, 9]).expect("below 10"));
        gives [7.0, 3.0, 3.0, 7.0, 9.0]; of [1.0, 1.0, 1.0, 1.0, 1.0],
        back [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    "index_add to one place twice, of what is not finite" (x: [3] = [1.0, INF, 2.0], src: [3] = [5.0, NAN, 7.0])
        => x.index_add::<0>(&Indices::<1, shape![3], 3>::from_slice(&[2, 0, 2]).expect("below 3"), &src);
        gives [NAN, INF, 14.0]; of [1.0, 2.0, 4.0], back [1.0, 2.0, 4.0], [4.0, 1.0, 4.0];
    "scatter over what is not finite" (x: [3] = [NAN, INF, 2.0], src: [3] = [5.0, NAN, 7.0])
        => x.scatter::<0>(&Indices::<1, shape![3], 3>::from_slice(&[0, 1, 1]).expect("below 3"), &src);
        gives [5.0, 7.0, 2.0]; of [1.0, 2.0, 4.0], back [0.0, 0.0, 4.0], [1.0, 0.0, 2.0];
    "max_axes, first of equals" (x: [2, 1, 2] = [1.0, 5.0, 5.0, 5.0]) => x.max_axes::<axes![0, 2]>();
        gives [5.0]; of [7.0], back [0.0, 7.0, 0.0, 0.0];
    "max_axes, first of equals, apart" (x: [2, 2, 2] = [1.0, 5.0, 0.0, 0.0, 5.0, 5.0, 1.0, 0.0]) => x.max_axes::<axes![0, 2]>();
        gives [5.0, 1.0]; of [7.0, 3.0], back [0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0];
    "norm_axes of zeros" (x: [2, 1, 2] = [0.0, 0.0, 0.0, 0.0]) => x.norm_axes::<axes![0, 2]>(E::of(2.0));
        gives [0.0]; of [7.0], back [0.0, 0.0, 0.0, 0.0];
    // Places that no entry lies over are 0, and 0 · ∞ is NaN, as in PyTorch.
    "conv_transpose1d of infinity" (x: [1, 1, 3] = [1.0, INF, 2.0], w: [1, 1, 2] = [0.0, 2.0])
        => x.conv_transpose1d(&w, Spread::<3>);
        gives [0.0, 2.0, 0.0, NAN, INF, 0.0, 0.0, 4.0]; of [1.0, 1.0, 5.0, 1.0, 1.0, 5.0, 3.0, 1.0],
        back [2.0, 2.0, 2.0], [INF, INF];
    "max_pool1d, padding takes no part" (x: [1, 1, 2] = [-1.0, -2.0]) => x.max_pool1d(Pool::<2, 1, 1>);
        gives [-1.0, -1.0, -2.0]; of [1.0, 2.0, 4.0], back [3.0, 4.0];
    "max_pool1d, overlapping windows" (x: [1, 1, 5] = [5.0, 3.0, 1.0, 2.0, 5.0]) => x.max_pool1d(Pool::<2, 1>);
        gives [5.0, 3.0, 2.0, 5.0]; of [1.0, 1.0, 1.0, 1.0], back [1.0, 1.0, 0.0, 1.0, 1.0];
    "max_pool1d, first of equals" (x: [1, 1, 3] = [0.5, 0.5, 0.25]) => x.max_pool1d(Pool::<3>);
        gives [0.5]; of [7.0], back [7.0, 0.0, 0.0];
    "max_pool2d, first of equals" (x: [1, 1, 2, 3] = [1.0, 2.0, 3.0, 3.0, 3.0, 3.0]) => x.max_pool2d((Pool::<2>, Pool::<3>));
        gives [3.0]; of [7.0], back [0.0, 0.0, 7.0, 0.0, 0.0, 0.0];
    "max_pool1d of NaN and infinities" (x: [1, 1, 6] = [-INF, -INF, NAN, INF, 1.0, NAN]) => x.max_pool1d(Pool::<2>);
        gives [-INF, NAN, NAN]; of [3.0, 5.0, 7.0], back [3.0, 0.0, 5.0, 0.0, 0.0, 7.0];
    // Results of several columns are looked for several at a time.
    "max_pool1d of a row, NaN and equals" (x: [1, 1, 12] = [NAN, 1.0, 2.0, NAN, NAN, NAN, -INF, -INF, 5.0, 5.0, -1.0, INF])
        => x.max_pool1d(Pool::<2>);
        gives [NAN, NAN, NAN, -INF, 5.0, INF]; of [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
        back [1.0, 0.0, 0.0, 2.0, 4.0, 0.0, 8.0, 0.0, 16.0, 0.0, 0.0, 32.0];
    "max_pool1d of a row, padding takes no part" (x: [1, 1, 5] = [-INF, -INF, -1.0, -1.0, NAN]) => x.max_pool1d(Pool::<3, 1, 1>);
        gives [-INF, -1.0, -1.0, NAN, NAN]; of [1.0, 2.0, 4.0, 8.0, 16.0], back [1.0, 0.0, 6.0, 0.0, 24.0];
    "max_pool2d of rows, first of equals" (x: [1, 1, 2, 8] = [1.0, 2.0, 4.0, 4.0, NAN, 1.0, 0.0, 0.0, 2.0, 2.0, 4.0, 4.0, NAN, 7.0, 0.0, NAN])
        => x.max_pool2d(Pool::<2>);
        gives [2.0, 4.0, NAN, NAN]; of [1.0, 2.0, 4.0, 8.0],
        back [0.0, 1.0, 2.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0];
    "max_pool1d ceil, NaN under a window cut short" (x: [1, 1, 5] = [3.0, 3.0, -INF, -INF, NAN]) => x.max_pool1d(Ceil(Pool::<2>));
        gives [3.0, -INF, NAN]; of [3.0, 5.0, 7.0], back [3.0, 0.0, 5.0, 0.0, 7.0];
    "global_max_pool2d, first of equals" (x: [1, 2, 1, 2] = [1.0, 1.0, 0.0, 2.0]) => x.global_max_pool2d();
        gives [1.0, 2.0]; of [3.0, 5.0], back [3.0, 0.0, 0.0, 5.0];
    "avg_pool1d of infinity" (x: [1, 1, 4] = [INF, 1.0, 1.0, 3.0]) => x.avg_pool1d(Pool::<2>);
        gives [INF, 2.0]; of [2.0, 4.0], back [1.0, 1.0, 2.0, 2.0];

    // The deviation has its minimum there: the least subgradient is 0.
    "std of equals" (x: [3] = [2.0, 2.0, 2.0]) => x.std(1);
        gives [0.0]; of [5.0], back [0.0, 0.0, 0.0];
    "std of equals in rows" (x: [2, 2] = [2.0, 2.0, 1.0, 3.0]) => x.std_axis::<1>(0);
        gives [0.0, 1.0]; of [5.0, 4.0], back [0.0, 0.0, -2.0, 2.0];
    "std of one" (x: [1] = [2.0]) => x.std(0);
        gives [0.0]; of [5.0], back [0.0];
    "var of equals" (x: [3] = [2.0, 2.0, 2.0]) => x.var(0);
        gives [0.0]; of [5.0], back [0.0, 0.0, 0.0];
    "var of one, corrected" (x: [1] = [2.0]) => x.var(1);
        gives [NAN]; of [5.0], back [NAN];

    "sqrt at 0" (x: [3] = [0.0, 0.0, 4.0]) => x.sqrt();
        gives [0.0, 0.0, 2.0]; of [1.0, -1.0, 8.0], back [INF, -INF, 2.0];
    "ln at 0" (x: [2] = [0.0, INF]) => x.ln();
        gives [-INF, INF]; of [2.0, 2.0], back [INF, 0.0];
    "recip at 0" (x: [2] = [0.0, INF]) => x.recip();
        gives [INF, 0.0]; of [1.0, 1.0], back [-INF, 0.0];
    "powf(2) at 0" (x: [1] = [0.0]) => x.powf(E::of(2.0)); gives [0.0]; of [3.0], back [0.0];
    "powf(1) at 0" (x: [1] = [0.0]) => x.powf(E::of(1.0)); gives [0.0]; of [3.0], back [3.0];
    "powf(0) at 0" (x: [1] = [0.0]) => x.powf(E::of(0.0)); gives [1.0]; of [3.0], back [0.0];
    "powf(0.5) at 0" (x: [1] = [0.0]) => x.powf(E::of(0.5)); gives [0.0]; of [3.0], back [INF];
    "powi(0) at 0" (x: [1] = [0.0]) => x.powi(0); gives [1.0]; of [3.0], back [0.0];
    "powi(1) at 0" (x: [1] = [0.0]) => x.powi(1); gives [0.0]; of [3.0], back [3.0];
    "powi(2) at 0" (x: [1] = [0.0]) => x.powi(2); gives [0.0]; of [3.0], back [0.0];
    "pow at 0" (a: [3] = [0.0, 0.0, 0.0], b: [3] = [2.0, 1.0, 0.0]) => a.pow(&b);
        gives [0.0, 0.0, 1.0]; of [3.0, 5.0, 7.0], back [0.0, 5.0, 0.0], [0.0, 0.0, 0.0];
    "0 times infinity" (a: [2] = [0.0, INF], b: [2] = [INF, 0.0]) => &a * &b;
        gives [NAN, NAN]; of [1.0, 1.0], back [INF, 0.0], [0.0, INF];
    "div by 0" (a: [2] = [1.0, 0.0], b: [2] = [0.0, 0.0]) => &a / &b;
        gives [INF, NAN]; of [1.0, 1.0], back [INF, INF], [-INF, NAN];
    "exp at the ends" (x: [3] = [-INF, 0.0, INF]) => x.exp();
        gives [0.0, 1.0, INF]; of [2.0, 2.0, 2.0], back [0.0, 2.0, INF];

    "sigmoid far out" (x: [3] = [-1e4, 0.0, 1e4]) => x.sigmoid();
        gives [0.0, 0.5, 1.0]; of [4.0, 4.0, 4.0], back [0.0, 1.0, 0.0];
    "tanh far out" (x: [3] = [-1e4, 0.0, 1e4]) => x.tanh();
        gives [-1.0, 0.0, 1.0]; of [4.0, 4.0, 4.0], back [0.0, 4.0, 0.0];
    "softplus far out" (x: [2] = [-1e4, 1e4]) => x.softplus();
        gives [0.0, 1e4]; of [4.0, 4.0], back [0.0, 4.0];
    "softplus_beta far out" (x: [2] = [-1e4, 1e4]) => x.softplus_beta(E::of(3.0));
        gives [0.0, 1e4]; of [4.0, 4.0], back [0.0, 4.0];
    "gelu far out" (x: [3] = [-1e4, 0.0, 1e4]) => x.gelu();
        gives [0.0, 0.0, 1e4]; of [4.0, 4.0, 4.0], back [0.0, 2.0, 4.0];
    "gelu_tanh far out" (x: [3] = [-1e4, 0.0, 1e4]) => x.gelu_tanh();
        gives [0.0, 0.0, 1e4]; of [4.0, 4.0, 4.0], back [0.0, 2.0, 4.0];
    "silu far out" (x: [3] = [-1e4, 0.0, 1e4]) => x.silu();
        gives [0.0, 0.0, 1e4]; of [4.0, 4.0, 4.0], back [0.0, 2.0, 4.0];

    "asin at its ends" (x: [4] = [-1.0, 1.0, 0.0, 2.0]) => x.asin();
        gives [-FRAC_PI_2, FRAC_PI_2, 0.0, NAN]; of [1.0, 1.0, 4.0, 1.0], back [INF, INF, 4.0, NAN];
    "acos at its ends" (x: [3] = [-1.0, 1.0, 2.0]) => x.acos();
        gives [PI, 0.0, NAN]; of [1.0, 1.0, 1.0], back [-INF, -INF, NAN];
    "atan far out" (x: [2] = [-INF, INF]) => x.atan();
        gives [-FRAC_PI_2, FRAC_PI_2]; of [4.0, 4.0], back [0.0, 0.0];
    // What was lost in f32: the sign, the digits below 0, and a logarithm's argument that overflows.
    "asinh of the largest" (x: [2] = [3e38, -3e38]) => x.asinh();
        gives [89.2899930030018, -89.2899930030018]; of [0.0, 0.0], back [0.0, 0.0];
    "acosh far below 1" (x: [2] = [-6.7115656e7, -1e30]) => x.acosh();
        gives [NAN, NAN]; of [0.0, 0.0], back [NAN, NAN];
    "softplus_beta of the largest" (x: [2] = [2e38, -2e38]) => x.softplus_beta(E::of(3.0));
        gives [2e38, 0.0]; of [1.0, 1.0], back [1.0, 0.0];
    "mish where its tanh is subnormal" (x: [1] = [-104.0]) => x.mish();
        gives [-7.08609909440711e-44]; of [0.0], back [0.0];
    "asinh far out" (x: [4] = [-INF, INF, 0.0, 1e30]) => x.asinh();
        gives [-INF, INF, 0.0, 69.77069997038132]; of [4.0, 4.0, 4.0, 1e30], back [0.0, 0.0, 4.0, 1.0];
    "acosh at 1" (x: [4] = [1.0, 0.5, INF, 1e30]) => x.acosh();
        gives [0.0, NAN, INF, 69.77069997038132]; of [2.0, 2.0, 2.0, 1e30], back [INF, NAN, 0.0, 1.0];
    "atanh at its ends" (x: [3] = [-1.0, 1.0, 0.0]) => x.atanh();
        gives [-INF, INF, 0.0]; of [2.0, -2.0, 4.0], back [INF, -INF, 4.0];
    "cosh at 0" (x: [3] = [-INF, 0.0, INF]) => x.cosh();
        gives [INF, 1.0, INF]; of [1.0, 4.0, 1.0], back [-INF, 0.0, INF];
    // Undefined at the origin: 0, where a quotient would be NaN.
    "atan2 at the origin" (y: [4] = [0.0, 0.0, 2.0, -0.0], x: [4] = [0.0, -2.0, 0.0, 0.0]) => y.atan2(&x);
        gives [0.0, PI, FRAC_PI_2, 0.0]; of [3.0, 4.0, 8.0, 5.0], back [0.0, -2.0, 0.0, 0.0], [0.0, 0.0, -4.0, 0.0];
    "hypot at 0" (a: [3] = [0.0, 3.0, 0.0], b: [3] = [0.0, 4.0, -2.0]) => a.hypot(&b);
        gives [0.0, 5.0, 2.0]; of [7.0, 10.0, 4.0], back [0.0, 6.0, 0.0], [0.0, 8.0, -4.0];
    "logaddexp of infinities" (a: [4] = [-INF, -INF, 1e4, INF], b: [4] = [-INF, 3.0, 0.0, INF]) => a.logaddexp(&b);
        gives [-INF, 3.0, 1e4, INF]; of [4.0, 4.0, 4.0, 4.0], back [0.0, 0.0, 4.0, 2.0], [0.0, 4.0, 0.0, 2.0];
    "logaddexp of NaN" (a: [2] = [NAN, 1.0], b: [2] = [1.0, NAN]) => a.logaddexp(&b);
        gives [NAN, NAN]; of [1.0, 1.0], back [NAN, NAN], [NAN, NAN];
    "erf far out" (x: [3] = [-INF, 0.0, INF]) => x.erf();
        gives [-1.0, 0.0, 1.0]; of [4.0, 1.0, 4.0], back [0.0, std::f64::consts::FRAC_2_SQRT_PI, 0.0];
    "erfc far out" (x: [3] = [-INF, 0.0, INF]) => x.erfc();
        gives [2.0, 1.0, 0.0]; of [4.0, -1.0, 4.0], back [0.0, std::f64::consts::FRAC_2_SQRT_PI, 0.0];
    "log2 at 0" (x: [2] = [0.0, INF]) => x.log2(); gives [-INF, INF]; of [2.0, 2.0], back [INF, 0.0];
    "log10 at 0" (x: [2] = [0.0, INF]) => x.log10(); gives [-INF, INF]; of [2.0, 2.0], back [INF, 0.0];
    "logit at its ends" (x: [4] = [0.0, 0.5, 1.0, 2.0]) => x.logit();
        gives [-INF, 0.0, INF, NAN]; of [1.0, 1.0, 1.0, 4.0], back [INF, 4.0, INF, -2.0];
    "log_sigmoid far out" (x: [5] = [-INF, -1e4, 0.0, 1e4, INF]) => x.log_sigmoid();
        gives [-INF, -1e4, -std::f64::consts::LN_2, 0.0, 0.0]; of [4.0, 4.0, 4.0, 4.0, 4.0], back [4.0, 4.0, 2.0, 0.0, 0.0];
    "floor at its steps" (x: [6] = [-1.5, -1.0, 0.0, 2.5, INF, NAN]) => x.floor();
        gives [-2.0, -1.0, 0.0, 2.0, INF, NAN]; of [3.0, 3.0, INF, 3.0, 3.0, NAN], back [0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    "ceil at its steps" (x: [5] = [-1.5, 1.0, 0.5, -INF, NAN]) => x.ceil();
        gives [-1.0, 1.0, 1.0, -INF, NAN]; of [3.0, 3.0, 3.0, 3.0, 3.0], back [0.0, 0.0, 0.0, 0.0, 0.0];
    "trunc at its steps" (x: [5] = [-1.5, 1.0, 0.5, -INF, NAN]) => x.trunc();
        gives [-1.0, 1.0, 0.0, -INF, NAN]; of [3.0, 3.0, 3.0, 3.0, 3.0], back [0.0, 0.0, 0.0, 0.0, 0.0];
    "round halves to even" (x: [9] = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, INF, NAN]) => x.round();
        gives [-2.0, -2.0, 0.0, 0.0, 2.0, 2.0, 4.0, INF, NAN]; of [3.0; 9], back [0.0; 9];
    "fract at its steps" (x: [4] = [-1.25, 2.0, INF, NAN]) => x.fract();
        gives [-0.25, 0.0, NAN, NAN]; of [3.0, 5.0, 7.0, 11.0], back [3.0, 5.0, 7.0, 11.0];
    "sign at 0" (x: [5] = [-INF, -0.0, 0.0, 5.0, NAN]) => x.sign();
        gives [-1.0, 0.0, 0.0, 1.0, NAN]; of [3.0; 5], back [0.0; 5];
    "fmod of all signs" (a: [4] = [5.5, -5.5, 5.5, -5.5], b: [4] = [2.0, 2.0, -2.0, -2.0]) => a.fmod(&b);
        gives [1.5, -1.5, 1.5, -1.5]; of [1.0; 4], back [1.0; 4], [-2.0, 2.0, 2.0, -2.0];
    "remainder of all signs" (a: [4] = [5.5, -5.5, 5.5, -5.5], b: [4] = [2.0, 2.0, -2.0, -2.0]) => a.remainder(&b);
        gives [1.5, 0.5, -0.5, -1.5]; of [1.0; 4], back [1.0; 4], [-2.0, 3.0, 3.0, -2.0];
    "fmod by 0 and ∞" (a: [3] = [1.0, INF, 1.0], b: [3] = [0.0, 1.0, INF]) => a.fmod(&b);
        gives [NAN, NAN, 1.0]; of [1.0; 3], back [1.0; 3], [NAN, NAN, 0.0];
    "remainder of multiples" (a: [4] = [6.0, -6.0, 0.0, 1.0], b: [4] = [2.0, 2.0, 2.0, 0.0]) => a.remainder(&b);
        gives [0.0, 0.0, 0.0, NAN]; of [1.0; 4], back [1.0; 4], [-3.0, 3.0, 0.0, NAN];
    "softsign far out" (x: [3] = [-INF, 0.0, INF]) => x.softsign();
        gives [-1.0, 0.0, 1.0]; of [4.0; 3], back [0.0, 4.0, 0.0];
    "hardtanh at its ends" (x: [6] = [-2.0, -1.0, 0.5, 2.0, 3.0, NAN]) => x.hardtanh(E::of(-1.0), E::of(2.0));
        gives [-1.0, -1.0, 0.5, 2.0, 2.0, NAN]; of [3.0, 5.0, 7.0, 11.0, 13.0, 17.0], back [0.0, 0.0, 7.0, 0.0, 0.0, 17.0];
    "relu6 at its ends" (x: [6] = [-1.0, 0.0, 3.0, 6.0, 7.0, NAN]) => x.relu6();
        gives [0.0, 0.0, 3.0, 6.0, 6.0, NAN]; of [3.0, 5.0, 7.0, 11.0, 13.0, 17.0], back [0.0, 0.0, 7.0, 0.0, 0.0, 17.0];
    "hardsigmoid at its ends" (x: [4] = [-3.0, 0.0, 3.0, NAN]) => x.hardsigmoid();
        gives [0.0, 0.5, 1.0, NAN]; of [6.0; 4], back [0.0, 1.0, 0.0, 1.0];
    "hardswish at its ends" (x: [5] = [-INF, -3.0, 0.0, 3.0, INF]) => x.hardswish();
        gives [0.0, 0.0, 0.0, 3.0, INF]; of [4.0; 5], back [0.0, 0.0, 2.0, 4.0, 4.0];
    "threshold at its limit" (x: [4] = [0.0, 1.0, 2.0, NAN]) => x.threshold(E::of(1.0), E::of(-7.0));
        gives [-7.0, -7.0, 2.0, NAN]; of [3.0, 5.0, 7.0, 11.0], back [0.0, 0.0, 7.0, 11.0];
    "nan_to_num of all kinds" (x: [4] = [NAN, INF, -INF, 2.0]) => x.nan_to_num(E::of(0.5), E::of(8.0), E::of(-8.0));
        gives [0.5, 8.0, -8.0, 2.0]; of [3.0, 5.0, 7.0, 11.0], back [0.0, 0.0, 0.0, 11.0];
    "mish far out" (x: [4] = [-INF, -1e4, 1e4, INF]) => x.mish();
        gives [0.0, 0.0, 1e4, INF]; of [4.0; 4], back [0.0, 0.0, 4.0, 4.0];
    "selu at 0" (x: [3] = [-INF, 0.0, 1.0]) => x.selu();
        gives [-1.7580993408473766, 0.0, 1.0507009873554805]; of [4.0, 1.0, 1.0],
        back [0.0, 1.7580993408473766, 1.0507009873554805];
    "celu at 0" (x: [4] = [-INF, 0.0, 2.0, NAN]) => x.celu(E::of(0.5));
        gives [-0.5, 0.0, 2.0, NAN]; of [4.0, 8.0, 3.0, 5.0], back [0.0, 8.0, 3.0, 5.0];

    "layer_norm of constant lines" (x: [2, 2] = [1e4, 1e4, 0.0, 0.0]) => x.layer_norm::<1>(E::of(0.25));
        gives [0.0, 0.0, 0.0, 0.0]; of [4.0, 8.0, 1.0, 3.0], back [-4.0, 4.0, -2.0, 2.0];
    "layer_norm of one element" (x: [2, 1] = [3.0, -1e30]) => x.layer_norm::<1>(E::of(1e-5));
        gives [0.0, 0.0]; of [4.0, 8.0], back [0.0, 0.0];
    "layer_norm far out" (x: [2] = [1e4, 10_002.0]) => x.layer_norm::<0>(E::of(0.0));
        gives [-1.0, 1.0]; of [4.0, 8.0], back [0.0, 0.0];
    "layer_norm of NaN and of infinity" (x: [2, 2] = [NAN, 1.0, INF, 1.0]) => x.layer_norm::<1>(E::of(1e-5));
        gives [NAN, NAN, NAN, NAN]; of [1.0, 1.0, 1.0, 1.0], back [NAN, NAN, NAN, NAN];
    "softmax far out" (x: [1, 3] = [1e4, 1e4, -1e4]) => x.softmax::<1>();
        gives [0.5, 0.5, 0.0]; of [4.0, 8.0, 16.0], back [-1.0, 1.0, 0.0];
    "softmax of a masked score" (x: [1, 3] = [2.0, 2.0, -INF]) => x.softmax::<1>();
        gives [0.5, 0.5, 0.0]; of [4.0, 8.0, 16.0], back [-1.0, 1.0, 0.0];
    "log_softmax far out" (x: [2] = [1e4, 0.0]) => x.log_softmax::<0>();
        gives [0.0, -1e4]; of [4.0, 8.0], back [-8.0, 8.0];
    "logsumexp far out" (x: [3] = [1e4, -1e4, 0.0]) => x.logsumexp();
        gives [1e4]; of [4.0], back [4.0, 0.0, 0.0];
    "logsumexp of a masked score" (x: [2] = [-INF, 3.0]) => x.logsumexp();
        gives [3.0]; of [4.0], back [0.0, 4.0];
    "logsumexp of masked scores alone" (x: [2] = [-INF, -INF]) => x.logsumexp();
        gives [-INF]; of [4.0], back [0.0, 0.0];
    "cross_entropy far out" (x: [2, 2] = [1e4, 0.0, 1e4, 0.0])
        => x.cross_entropy(&Indices::<1, shape![2], 2>::from_slice(&[0, 1]).expect("below 2"));
        gives [5e3]; of [2.0], back [0.0, 0.0, 1.0, -1.0];

    "smooth_l1_sum of beta 0" (a: [4] = [1.0, -2.0, 1.0, 2.0], b: [4] = [1.0, -2.0, 0.0, 4.0]) => a.smooth_l1_sum(&b, E::of(0.0));
        gives [3.0]; of [2.0], back [0.0, 0.0, 2.0, -2.0], [0.0, 0.0, -2.0, 2.0];
    "huber_none at its corner" (a: [4] = [2.0, -2.0, 3.0, NAN], b: [4] = [0.0; 4]) => a.huber_none(&b, E::of(2.0));
        gives [2.0, 2.0, 4.0, NAN]; of [1.0; 4], back [2.0, -2.0, 2.0, NAN], [-2.0, 2.0, -2.0, NAN];
    "hinge_none at its corner" (x: [4] = [1.0, 0.5, -1.0, NAN], t: [4] = [1.0; 4]) => x.hinge_none(&t);
        gives [0.0, 0.5, 2.0, NAN]; of [3.0; 4], back [0.0, -3.0, -3.0, -3.0], [0.0, -1.5, 3.0, NAN];
    "bce_none at its ends" (x: [5] = [0.0, 1.0, 0.0, 1.0, 2.0], t: [5] = [0.0, 1.0, 1.0, 0.0, 1.0]) => x.bce_none(&t);
        gives [0.0, 0.0, 100.0, 100.0, NAN]; of [1e-12, 1e-12, 1e-12, 1e-12, 0.0],
        back [0.0, 0.0, -1.0, 1.0, 0.0], [1e-10, -1e-10, 1e-10, -1e-10, NAN];
    "bce_with_logits_none far out" (x: [5] = [-INF, -1000.0, 0.0, 1000.0, INF], t: [5] = [0.0, 0.25, 0.0, 0.0, 1.0])
        => x.bce_with_logits_none(&t);
        gives [0.0, 250.0, std::f64::consts::LN_2, 1000.0, 0.0]; of [4.0; 5],
        back [0.0, -1.0, 2.0, 4.0, 0.0], [INF, 4000.0, 0.0, -4000.0, -INF];
    // At a target of 0 the target's slope is -∞ + ∞.
    "kl_div_none of nothing" (x: [2] = [-INF, 0.0], t: [2] = [0.0, 1.0]) => x.kl_div_none(&t);
        gives [0.0, 0.0]; of [3.0; 2], back [0.0, -3.0], [NAN, 3.0];
    "cross_entropy_with nothing that counts" (x: [1, 3] = [1.0, 2.0, 3.0]) => {
        let (targets, ignored) = Indices::<1, shape![1], 3>::from_slice_ignoring(&[-1], -1).expect("ignored");
        x.cross_entropy_with(&targets, shapeproof::loss::CrossEntropy { ignored: Some(&ignored), ..Default::default() })
    };
        gives [0.0]; of [5.0], back [0.0, 0.0, 0.0];
    "cross_entropy_soft of a masked score" (x: [1, 3] = [-INF, 0.0, 0.0], t: [1, 3] = [0.0, 1.0, 0.0]) => x.cross_entropy_soft(&t);
        gives [std::f64::consts::LN_2]; of [2.0], back [0.0, -1.0, 1.0],
        [INF, 2.0 * std::f64::consts::LN_2, 2.0 * std::f64::consts::LN_2];
    "cosine_similarity of zeros" (x: [2] = [0.0, 0.0], y: [2] = [3.0, 4.0]) => x.cosine_similarity::<0>(&y);
        gives [0.0]; of [1e-8], back [0.6, 0.8], [0.0, 0.0];
    "cosine_embedding_sum at its margin" (x: [2, 2] = [3.0, 4.0, 3.0, 4.0], y: [2, 2] = [3.0, 4.0, 3.0, 4.0])
        => x.cosine_embedding_sum(&y, &Mask::<1, shape![2]>::from_array([true, false]), E::of(1.0));
        gives [0.0]; of [5.0], back [0.0; 4], [0.0; 4];
    "triplet_margin of what is far" (a: [1, 2] = [0.0, 0.0], p: [1, 2] = [1.0, 0.0], n: [1, 2] = [9.0, 0.0])
        => a.triplet_margin(&p, &n, E::of(1.0));
        gives [0.0]; of [5.0], back [0.0; 2], [0.0; 2], [0.0; 2];
    "masked_fill of NaN" (x: [3] = [NAN, 2.0, INF]) => x.masked_fill(&!x.is_finite(), E::of(7.0));
        gives [7.0, 2.0, 7.0]; of [NAN, 3.0, INF], back [0.0, 3.0, 0.0];
    "dropout of everything" (x: [3] = [1.0, INF, NAN]) => x.dropout(1.0, true, &mut Rng::seed(0));
        gives [0.0, 0.0, 0.0]; of [1.0, INF, NAN], back [0.0, 0.0, 0.0];
    "prelu at 0" (x: [3] = [-2.0, 0.0, 3.0], w: [] = [0.5]) => x.prelu(&w);
        gives [-1.0, 0.0, 3.0]; of [3.0, 4.0, 5.0], back [1.5, 2.0, 5.0], [-6.0];
    "lerp_by at its ends" (a: [2] = [1e30, 3.0], b: [2] = [7.0, 1e30], w: [2] = [1.0, 0.0]) => a.lerp_by(&b, &w);
        gives [7.0, 3.0]; of [1.0, 1.0], back [0.0, 1.0], [1.0, 0.0], [-1e30, 1e30];
    "lerp at its ends" (a: [2] = [1e30, 3.0], b: [2] = [7.0, 1e30]) => a.lerp(&b, E::of(1.0));
        gives [7.0, 1e30]; of [3.0; 2], back [0.0, 0.0], [3.0, 3.0];
    "glu far out" (x: [2, 4] = [2.0, 3.0, -1e4, 1e4, NAN, 1.0, 0.0, 0.0]) => x.glu::<1>();
        gives [0.0, 3.0, NAN, 0.5]; of [4.0; 4], back [0.0, 4.0, 0.0, 0.0, 2.0, 2.0, NAN, 1.0];

    // What is not chosen gets 0, whatever it is.
    "select past NaN" (a: [3] = [1.0, -1.0, 2.0], b: [3] = [NAN, 5.0, INF]) => a.gt(E::of(0.0)).select(&a, &b);
        gives [1.0, 5.0, 2.0]; of [3.0, 5.0, 7.0], back [3.0, 0.0, 7.0], [0.0, 5.0, 0.0];
    "comparisons with NaN" (a: [3] = [NAN, 1.0, NAN], w: [3] = [1.0, 2.0, 4.0])
        => (a.eq(&a) | a.gt(E::of(0.0)) | a.le(E::of(0.0))).select(&w, &(-&w));
        gives [-1.0, 2.0, -4.0]; of [1.0, 1.0, 1.0], back cut, [-1.0, 1.0, -1.0];
}
