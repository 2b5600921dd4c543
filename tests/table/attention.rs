//! Attention: plain, masked, causal, with something added to the scores. Sizes of several blocks are in
//! tests/attention.rs.

use super::ANY;
use shapeproof::prelude::*;

/// Which of 5 keys each of 3 queries sees; the second sees none.
fn allowed() -> Mask<2, shape![3, 5]> {
    Mask::from_array([
        [true, true, false, true, false],
        [false; 5],
        [true, false, true, true, true],
    ])
}

/// The same keys for all queries of a batch entry.
fn padding() -> Mask<3, shape![2, 1, 5]> {
    Mask::from_array([
        [[true, true, true, false, false]],
        [[true, false, true, true, true]],
    ])
}

super::rows! { E;
    "attention" (q: [3, 4] in ANY, k: [5, 4] in ANY, v: [5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 3] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention" (q: [2, 1, 3, 2, 3] in ANY, k: [2, 1, 3, 4, 3] in ANY, v: [2, 1, 3, 4, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention" (q: [1, 1] in ANY, k: [1, 1] in ANY, v: [1, 1] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    // No queries, no keys, no width.
    "attention" (q: [0, 4] in ANY, k: [5, 4] in ANY, v: [5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention" (q: [3, 4] in ANY, k: [0, 4] in ANY, v: [0, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention" (q: [3, 4] in ANY, k: [5, 4] in ANY, v: [5, 0] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), false);
    "attention causal" (q: [2, 4, 3] in ANY, k: [2, 4, 3] in ANY, v: [2, 4, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), true);
    "attention causal" (q: [3, 3] in ANY, k: [5, 3] in ANY, v: [5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), true);
    "attention causal" (q: [5, 3] in ANY, k: [2, 3] in ANY, v: [2, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, (), true);
    "attention masked" (q: [3, 4] in ANY, k: [5, 4] in ANY, v: [5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &allowed(), false);
    "attention masked" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &allowed(), false);
    "attention padded" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &padding(), false);
    "attention masked causal" (q: [3, 4] in ANY, k: [5, 4] in ANY, v: [5, 2] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &allowed(), true);
    "attention biased" (q: [3, 4] in ANY, k: [5, 4] in ANY, v: [5, 2] in ANY, b: [3, 5] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &b, false);
    "attention biased" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 2] in ANY, b: [5] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &b, true);
    "attention biased" (q: [2, 2, 3, 4] in ANY, k: [2, 2, 5, 4] in ANY, v: [2, 2, 5, 2] in ANY, b: [2, 1, 1, 5] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &b, false);
    "attention biased" (q: [2, 3, 4] in ANY, k: [2, 5, 4] in ANY, v: [2, 5, 2] in ANY, b: [2, 3, 5] in ANY)
        => q.scaled_dot_product_attention(&k, &v, &b, true);
}
