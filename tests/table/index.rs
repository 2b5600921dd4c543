//! Comparisons and what they choose; whole numbers and what they pick.

use super::{ANY, DISTINCT};
use shapeproof::prelude::*;

/// Four positions below 5, one of them twice.
fn four() -> Indices<1, shape![4], 5> {
    Indices::from_slice(&[2, 0, 2, 4]).expect("below 5")
}

fn two_by_three() -> Indices<2, shape![2, 3], 4> {
    Indices::from_slice(&[0, 3, 1, 1, 1, 2]).expect("below 4")
}

fn single() -> Indices<0, shape![], 3> {
    Indices::from_slice(&[1]).expect("below 3")
}

super::rows! { E;
    // A comparison passes no gradient on to what it compares.
    "select gt" (a: [3, 4] in DISTINCT, b: [3, 4] in DISTINCT, c: [3, 4] in DISTINCT, d: [3, 4] in DISTINCT)
        => a.gt(&b).select(&c, &d);
    "select gt" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, c: [3, 1] in DISTINCT, d: [] in DISTINCT)
        => a.gt(&b).select(&c, &d);
    "select gt" (a: [3, 1] in DISTINCT, b: [1, 4] in DISTINCT, c: [4] in DISTINCT, d: [3, 4] in DISTINCT)
        => a.gt(&b).select(&c, &d);
    "select gt" (a: [37] in DISTINCT, b: [37] in DISTINCT, c: [37] in DISTINCT, d: [1] in DISTINCT)
        => a.gt(&b).select(&c, &d);
    "select gt" (a: [] in DISTINCT, b: [] in DISTINCT, c: [] in DISTINCT, d: [] in DISTINCT)
        => a.gt(&b).select(&c, &d);
    "gt to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.gt(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "ge to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.ge(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "lt to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.lt(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "le to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.le(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "eq to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.eq(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "ne to rows" (a: [3, 4] in DISTINCT, b: [4] in DISTINCT, w: [3, 4] in DISTINCT)
        => a.ne(&b).select(&w, &Tensor::<0, (), E>::zeros());
    "gt zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.gt(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "ge zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.ge(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "lt zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.lt(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "le zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.le(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "eq zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.eq(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "ne zero" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => a.ne(E::of(0.0)).select(&w, &Tensor::<0, (), E>::zeros());
    "masks combined" (a: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => {
        let inside = !a.gt(E::of(0.5)) & (a.gt(E::of(-0.5)) | a.lt(E::of(-1.0)));
        inside.select(&w, &(&w * E::of(2.0)))
    };
    "one_hot 4 of 5" (w: [4, 5] in ANY) => &w * four().one_hot::<E>();
    "one_hot (2, 3) of 4" (w: [2, 3, 4] in ANY) => &w * two_by_three().one_hot::<E>();
    "one_hot () of 3" (w: [3] in ANY) => &w * single().one_hot::<E>();
    "embedding 4" (table: [5, 3] in ANY) => table.embedding(&four());
    "embedding (2, 3)" (table: [4, 2] in ANY) => table.embedding(&two_by_three());
    "embedding ()" (table: [3, 4] in ANY) => table.embedding(&single());
    "embedding 3 of one" (table: [1, 2] in ANY)
        => table.fixed::<0>().embedding(&Indices::<1, shape![3], 1>::from_slice(&[0, 0, 0]).expect("below 1"));
    "gather 0" (x: [5] in ANY)
        => x.gather::<0>(&Indices::<1, shape![7], 5>::from_slice(&[4, 0, 0, 3, 4, 4, 1]).expect("below 5"));
    "gather 0" (x: [4, 3] in ANY) => x.gather::<0>(&two_by_three());
    "gather 1" (x: [2, 4] in ANY) => x.gather::<1>(&two_by_three());
    "gather 1 of three" (x: [2, 3, 2] in ANY) => x.gather::<1>(
        &Indices::<3, shape![2, 4, 2], 3>::from_slice(&[0, 2, 2, 2, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 0, 0]).expect("below 3")
    );
    "gather 2" (x: [1, 2, 3] in ANY) => x.gather::<2>(
        &Indices::<3, shape![1, 2, 2], 3>::from_slice(&[2, 2, 0, 1]).expect("below 3")
    );
    // Positions of extremes, seen through one-hot.
    "argmax_axis 0" (x: [3, 4] in DISTINCT, w: [4, 3] in DISTINCT) => &w * x.argmax_axis::<0>().one_hot::<E>();
    "argmin_axis 0" (x: [3, 4] in DISTINCT, w: [4, 3] in DISTINCT) => &w * x.argmin_axis::<0>().one_hot::<E>();
    "argmax_axis 1" (x: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => &w * x.argmax_axis::<1>().one_hot::<E>();
    "argmin_axis 1" (x: [3, 4] in DISTINCT, w: [3, 4] in DISTINCT) => &w * x.argmin_axis::<1>().one_hot::<E>();
    "argmax_axis 1" (x: [2, 3, 4] in DISTINCT, w: [2, 4, 3] in DISTINCT) => &w * x.argmax_axis::<1>().one_hot::<E>();
    "argmin_axis 1" (x: [2, 3, 4] in DISTINCT, w: [2, 4, 3] in DISTINCT) => &w * x.argmin_axis::<1>().one_hot::<E>();
    "argmax" (x: [5] in DISTINCT, w: [] in DISTINCT) => &w * E::of(x.argmax() as f64);
    "argmax" (x: [3, 4] in DISTINCT, w: [] in DISTINCT) => &w * E::of(x.argmax() as f64);
    "argmin" (x: [5] in DISTINCT, w: [] in DISTINCT) => &w * E::of(x.argmin() as f64);
    "argmin" (x: [3, 4] in DISTINCT, w: [] in DISTINCT) => &w * E::of(x.argmin() as f64);
    "argmax_keepdim 1" (x: [3, 4] in DISTINCT, w: [3, 1, 4] in DISTINCT) => &w * x.argmax_keepdim::<1>().one_hot::<E>();
    "argmin_keepdim 1" (x: [3, 4] in DISTINCT, w: [3, 1, 4] in DISTINCT) => &w * x.argmin_keepdim::<1>().one_hot::<E>();
}
