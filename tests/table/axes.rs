//! Reductions over several axes at once, neighbours and not.

use super::{ANY, DISTINCT, NONZERO, POSITIVE};
use shapeproof::prelude::*;

super::rows! { E;
    "sum_axes (0, 2)" (x in ANY) over [[2, 3, 4], [2, 3, 2, 2], [2, 0, 3], [0, 2, 3]] => x.sum_axes::<axes![0, 2]>();
    "sum_axes (1, 2)" (x in ANY) over [[2, 3, 4], [2, 3, 2, 2]] => x.sum_axes::<axes![1, 2]>();
    "sum_axes (0, 1, 3)" (x: [2, 3, 2, 2] in ANY) => x.sum_axes::<axes![0, 1, 3]>();
    "sum_axes (1)" (x: [2, 3, 4] in ANY) => x.sum_axes::<axes![1]>();
    "sum_axes (0, 1)" (x: [3, 4] in ANY) => x.sum_axes::<axes![0, 1]>();
    "sum_axes_keepdim (0, 2)" (x in ANY) over [[2, 3, 4], [2, 1, 3, 2, 2]] => x.sum_axes_keepdim::<axes![0, 2]>();
    "mean_axes (0, 2)" (x in ANY) over [[2, 3, 4], [2, 0, 3]] => x.mean_axes::<axes![0, 2]>();
    "mean_axes_keepdim (0, 2, 3)" (x: [2, 3, 2, 2] in ANY) => x.mean_axes_keepdim::<axes![0, 2, 3]>();
    "var_axes (0, 2)(1)" (x in ANY) over [[2, 3, 4], [2, 3, 2, 2]] => x.var_axes::<axes![0, 2]>(1);
    "var_axes (1, 2)(0)" (x: [2, 3, 4] in ANY) => x.var_axes::<axes![1, 2]>(0);
    "var_axes_keepdim (0, 2, 3)(0)" (x: [2, 3, 2, 2] in ANY) => x.var_axes_keepdim::<axes![0, 2, 3]>(0);
    "std_axes (0, 2)(0)" (x: [2, 3, 4] in ANY) => x.std_axes::<axes![0, 2]>(0);
    "std_axes_keepdim (0, 2)(1)" (x: [2, 3, 4] in ANY) => x.std_axes_keepdim::<axes![0, 2]>(1);
    "max_axes (0, 2)" (x in DISTINCT) over [[2, 3, 4], [2, 3, 2, 2]] => x.max_axes::<axes![0, 2]>();
    "max_axes_keepdim (0, 2)" (x: [2, 3, 4] in DISTINCT) => x.max_axes_keepdim::<axes![0, 2]>();
    "min_axes (0, 2)" (x: [2, 3, 4] in DISTINCT) => x.min_axes::<axes![0, 2]>();
    "min_axes_keepdim (1, 2)" (x: [2, 3, 4] in DISTINCT) => x.min_axes_keepdim::<axes![1, 2]>();
    "logsumexp_axes (0, 2)" (x: [2, 3, 4] in ANY) => x.logsumexp_axes::<axes![0, 2]>();
    "logsumexp_axes_keepdim (0, 2)" (x: [2, 3, 4] in ANY) => x.logsumexp_axes_keepdim::<axes![0, 2]>();
    "prod_axes (0, 2)" (x: [2, 3, 4] in POSITIVE) => x.prod_axes::<axes![0, 2]>();
    "prod_axes_keepdim (0, 2)" (x: [2, 3, 4] in POSITIVE) => x.prod_axes_keepdim::<axes![0, 2]>();
    "norm_axes (0, 2)(3)" (x: [2, 3, 4] in NONZERO) => x.norm_axes::<axes![0, 2]>(E::of(3.0));
    "norm_axes_keepdim (0, 2)(2)" (x: [2, 3, 4] in NONZERO) => x.norm_axes_keepdim::<axes![0, 2]>(E::of(2.0));
}
