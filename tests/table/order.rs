//! Entries in order, entries picked, and values put in their places.

use super::{ANY, DISTINCT};
use shapeproof::prelude::*;

/// Four positions below 5, one of them twice.
fn four() -> Indices<1, shape![4], 5> {
    Indices::from_slice(&[2, 0, 2, 4]).expect("below 5")
}

/// One position twice in the second row, and in no column.
fn two_by_three() -> Indices<2, shape![2, 3], 4> {
    Indices::from_slice(&[0, 3, 1, 1, 1, 2]).expect("below 4")
}

fn two_by_four_by_two() -> Indices<3, shape![2, 4, 2], 3> {
    Indices::from_slice(&[0, 2, 2, 2, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 0, 0]).expect("below 3")
}

super::rows! { E;
    "sort 0" (x in DISTINCT) over [[5], [37], [1], [37, 3], [2, 3, 4]] => x.sort::<0>().0;
    "sort 1" (x in DISTINCT) over [[3, 4], [3, 37], [2, 3, 4], [3, 1], [0, 3], [3, 0]] => x.sort::<1>().0;
    "sort_descending 1" (x in DISTINCT) over [[3, 4], [2, 3, 4]] => x.sort_descending::<1>().0;
    "topk 0 2" (x in DISTINCT) over [[5], [37], [3, 4], [2, 3, 4]] => x.topk::<0, 2>().0;
    "topk 1 3" (x in DISTINCT) over [[3, 4], [3, 37], [2, 3, 4]] => x.topk::<1, 3>().0;
    "topk 1 0" (x in DISTINCT) over [[3, 4]] => x.topk::<1, 0>().0;
    "topk_smallest 1 2" (x in DISTINCT) over [[3, 4], [3, 37]] => x.topk_smallest::<1, 2>().0;
    // Where they stood, seen through one-hot.
    "sort 1 at" (x: [3, 4] in DISTINCT, w: [3, 4, 4] in DISTINCT) => &w * x.sort::<1>().1.one_hot::<E>();
    "argsort 0" (x: [3, 4] in DISTINCT, w: [3, 4, 3] in DISTINCT) => &w * x.argsort::<0>().one_hot::<E>();
    "argsort_descending 1" (x: [3, 4] in DISTINCT, w: [3, 4, 4] in DISTINCT)
        => &w * x.argsort_descending::<1>().one_hot::<E>();
    "topk 1 2 at" (x: [3, 4] in DISTINCT, w: [3, 2, 4] in DISTINCT) => &w * x.topk::<1, 2>().1.one_hot::<E>();
    "index_select 0" (x in ANY) over [[5], [5, 3], [5, 2, 3]] => x.index_select::<0>(&four());
    "index_select 1" (x in ANY) over [[2, 5], [2, 5, 3], [2, 5, 0]] => x.index_select::<1>(&four());
    "index_select 2" (x: [2, 2, 5] in ANY) => x.index_select::<2>(&four());
    "take 1" (x: [2, 5] in ANY) => x.take::<1, 4>(&[2, 0, 2, 4]).expect("below 5");
    "index_add 0" (x: [5] in ANY, src: [4] in ANY) => x.index_add::<0>(&four(), &src);
    "index_add 0" (x: [5, 3] in ANY, src: [4, 3] in ANY) => x.index_add::<0>(&four(), &src);
    "index_add 1" (x: [2, 5] in ANY, src: [2, 4] in ANY) => x.index_add::<1>(&four(), &src);
    "index_add 1" (x: [2, 5, 3] in ANY, src: [2, 4, 3] in ANY) => x.index_add::<1>(&four(), &src);
    "index_add 1" (x: [2, 5, 0] in ANY, src: [2, 4, 0] in ANY) => x.index_add::<1>(&four(), &src);
    "index_add 1 of one" (x: [2, 1] in ANY, src: [2, 3] in ANY)
        => x.index_add::<1>(&Indices::<1, shape![3], 1>::from_slice(&[0, 0, 0]).expect("below 1"), &src);
    "scatter 0" (x: [4, 3] in ANY, src: [2, 3] in ANY) => x.scatter::<0>(&two_by_three(), &src);
    "scatter 1" (x: [2, 4] in ANY, src: [2, 3] in ANY) => x.scatter::<1>(&two_by_three(), &src);
    "scatter 1" (x: [2, 3, 2] in ANY, src: [2, 4, 2] in ANY) => x.scatter::<1>(&two_by_four_by_two(), &src);
    "scatter_add 0" (x: [5] in ANY, src: [4] in ANY) => x.scatter_add::<0>(&four(), &src);
    "scatter_add 0" (x: [4, 3] in ANY, src: [2, 3] in ANY) => x.scatter_add::<0>(&two_by_three(), &src);
    "scatter_add 1" (x: [2, 4] in ANY, src: [2, 3] in ANY) => x.scatter_add::<1>(&two_by_three(), &src);
    "scatter_add 1" (x: [2, 3, 2] in ANY, src: [2, 4, 2] in ANY) => x.scatter_add::<1>(&two_by_four_by_two(), &src);
    // The row for padding is not looked up: its gradient is not its slope.
    "embedding_padded 4" (table: [5, 3] in ANY) => table.embedding_padded::<1>(&four());
}
