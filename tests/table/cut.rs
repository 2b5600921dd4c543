//! Operations that join tensors and cut them, and those that move entries along an axis.

use super::ANY;
use shapeproof::prelude::*;

super::rows! { E;
    "concat 0" (a in ANY, b in ANY) over [[2] [3], [2, 3] [4, 3], [1, 3] [1, 3], [0, 3] [2, 3], [2, 0] [3, 0], [2, 2, 3] [1, 2, 3], [1] [1]]
        => (&a, &b).concat::<0>();
    "concat 1" (a in ANY, b in ANY) over [[2, 3] [2, 4], [2, 1] [2, 3], [2, 3] [2, 0], [2, 3, 2] [2, 1, 2], [0, 3] [0, 2], [2, 3, 1, 2, 2] [2, 2, 1, 2, 2]]
        => (&a, &b).concat::<1>();
    "concat 2" (a in ANY, b in ANY) over [[2, 3, 2] [2, 3, 3], [1, 2, 1, 2, 1, 2] [1, 2, 3, 2, 1, 2]]
        => (&a, &b).concat::<2>();
    "concat 5" (a in ANY, b in ANY) over [[1, 2, 1, 2, 1, 2] [1, 2, 1, 2, 1, 3]] => (&a, &b).concat::<5>();
    "concat_as 1" (a in ANY, b in ANY) over [[2, 3] [2, 4], [2, 6] [2, 1]] => (&a, &b).concat_as::<1, 7>();
    "concat 1" (a: [2, 3] in ANY, b: [2, 1] in ANY, c: [2, 2] in ANY) => (&a, &b, &c).concat::<1>();
    "concat 0" (a: [2, 2] in ANY, b: [1, 2] in ANY, c: [0, 2] in ANY, d: [3, 2] in ANY) => (&a, &b, &c, &d).concat::<0>();
    "concat 1, 5 parts" (a: [2, 2] in ANY, b: [2, 3] in ANY) => (&a, &b, &a, &a, &b).concat::<1>();
    "concat 1, 6 parts" (a: [2, 2] in ANY, b: [2, 3] in ANY) => (&a, &b, &a, &a, &b, &b).concat::<1>();
    "concat 1, 7 parts" (a: [2, 2] in ANY, b: [2, 3] in ANY) => (&b, &a, &b, &a, &a, &b, &b).concat::<1>();
    "concat 1, 8 parts" (a: [2, 2] in ANY, b: [2, 3] in ANY) => (&b, &b, &a, &b, &a, &a, &b, &b).concat::<1>();
    "concat 0, array" (a: [2, 2] in ANY, b: [2, 2] in ANY) => [&a, &b, &a].concat::<0>();
    "concat 1, array" (a: [2, 2] in ANY, b: [2, 2] in ANY) => [&a, &b, &b, &a].concat::<1>();
    "concat_as 0, array" (a: [2, 2] in ANY, b: [2, 2] in ANY) => [&a, &b, &a].concat_as::<0, 6>();
    "concat 0, by value" (a: [2] in ANY, b: [3] in ANY) => (a.clone(), &b * E::of(2.0)).concat::<0>();
    "stack 0" (a in ANY, b in ANY) over [[] [], [3] [3], [2, 3] [2, 3], [0, 3] [0, 3], [1, 2, 1, 3, 2] [1, 2, 1, 3, 2]]
        => (&a, &b).stack::<0>();
    "stack 1" (a in ANY, b in ANY) over [[3] [3], [2, 3] [2, 3], [1, 2, 1, 3, 2] [1, 2, 1, 3, 2]]
        => (&a, &b).stack::<1>();
    "stack 2" (a in ANY, b in ANY) over [[2, 3] [2, 3], [2, 3, 2] [2, 3, 2]] => (&a, &b).stack::<2>();
    "stack 5" (a in ANY, b in ANY) over [[1, 2, 1, 3, 2] [1, 2, 1, 3, 2]] => (&a, &b).stack::<5>();
    "stack 1" (a: [2, 3] in ANY, b: [2, 3] in ANY, c: [2, 3] in ANY) => (&a, &b, &c).stack::<1>();
    "stack 0" (a: [2] in ANY, b: [2] in ANY, c: [2] in ANY, d: [2] in ANY) => (&a, &b, &c, &d).stack::<0>();
    "stack 0, 5 parts" (a: [2] in ANY, b: [2] in ANY) => (&a, &b, &a, &a, &b).stack::<0>();
    "stack 1, 6 parts" (a: [2] in ANY, b: [2] in ANY) => (&a, &b, &a, &a, &b, &b).stack::<1>();
    "stack 1, 7 parts" (a: [2] in ANY, b: [2] in ANY) => (&b, &a, &b, &a, &a, &b, &b).stack::<1>();
    "stack 1, 8 parts" (a: [2] in ANY, b: [2] in ANY) => (&b, &b, &a, &b, &a, &a, &b, &b).stack::<1>();
    "stack 1, array" (a: [2, 2] in ANY, b: [2, 2] in ANY) => [&a, &b, &a].stack::<1>();
    "narrow 0 (1, 2)" (x in ANY) over [[3], [4, 3], [4, 2, 3], [3, 0]] => x.narrow::<0, 1, 2>();
    "narrow 1 (1, 2)" (x in ANY) over [[2, 3], [1, 4], [2, 4, 3], [2, 3, 1, 2, 2]] => x.narrow::<1, 1, 2>();
    "narrow 2 (0, 1)" (x in ANY) over [[2, 3, 2], [2, 3, 1], [1, 1, 3, 2]] => x.narrow::<2, 0, 1>();
    "narrow 1 (3, 0)" (x in ANY) over [[2, 3]] => x.narrow::<1, 3, 0>();
    "narrow 5 (2, 2)" (x in ANY) over [[1, 2, 1, 1, 2, 4]] => x.narrow::<5, 2, 2>();
    "narrow_as 1 (1, 2)" (x in ANY) over [[2, 3], [1, 4]] => x.narrow_as::<1, 1, 2>();
    "narrow_at 1 (1, 2)" (x in ANY) over [[2, 3], [2, 4, 3]] => x.narrow_at::<1, 2>(1).expect("inside");
    "narrow twice" (x: [6, 2] in ANY) => x.narrow::<0, 1, 4>().narrow::<0, 1, 2>() * x.narrow::<0, 2, 2>();
    "narrow of a product" (x: [4, 2] in ANY) => (&x * &x).narrow::<0, 1, 2>();
    "select 0 1" (x in ANY) over [[3], [2, 3], [2, 2, 3], [2, 0]] => x.select::<0, 1>();
    "select 1 2" (x in ANY) over [[2, 3], [2, 4, 3], [0, 3], [1, 3]] => x.select::<1, 2>();
    "select 2 0" (x in ANY) over [[2, 3, 2], [2, 3, 1, 2, 1, 2]] => x.select::<2, 0>();
    "select_as 1 2" (x in ANY) over [[2, 3]] => x.select_as::<1, 2>();
    "select_at 1 2" (x in ANY) over [[2, 3]] => x.select_at::<1>(2).expect("inside");
    "split 0" (x in ANY) over [[5], [5, 2]] => {
        let (a, b) = x.split::<0, shape![2, 3]>();
        (&b * E::of(2.0), &a).concat::<0>()
    };
    "split 1" (x in ANY) over [[2, 6], [2, 6, 2]] => {
        let (a, b, c) = x.split::<1, shape![3, 2, (Dim<1>)]>();
        (&c * E::of(2.0), &a, &b * E::of(3.0)).concat::<1>()
    };
    "split_as 1, 8 parts" (x in ANY) over [[2, 8]] => {
        let (a, b, c, d, e, f, g, h) = x.split_as::<1, (One, One, One, One, One, One, One, One)>();
        a * b + c * d - e * f * g * h
    };
    "split, one part" (x in ANY) over [[2, 6]] => x.split::<1, shape![4, 2]>().1;
    "chunk 0" (x in ANY) over [[6], [3, 2]] => {
        let [a, b, c] = x.chunk::<0, 3>();
        a * b - c
    };
    "chunk 1" (x in ANY) over [[2, 6], [2, 3, 2]] => {
        let [a, b, c] = x.chunk::<1, 3>();
        a * b - c
    };
    "chunk_as 1" (x in ANY) over [[2, 6]] => {
        let [a, b, c] = x.chunk_as::<1, 3, 2>();
        a * b - c
    };

    "pad 0 (1, 2)" (x in ANY) over [[3], [2, 3], [0, 3], [1, 2, 3]] => x.pad::<0, 1, 2>(E::of(0.0));
    "pad 1 (2, 1)" (x in ANY) over [[2, 3], [2, 1], [2, 3, 2], [2, 0, 2], [1, 3, 1, 2, 2]] => x.pad::<1, 2, 1>(E::of(-1.5));
    "pad 1 (0, 0)" (x in ANY) over [[2, 3]] => x.pad::<1, 0, 0>(E::of(-1.5));
    "pad_as 1 (2, 1)" (x in ANY) over [[2, 3]] => x.pad_as::<1, 2, 1, 6>(E::of(-1.5));
    "pad_reflect 0 (1, 2)" (x in ANY) over [[3], [4, 3], [5, 0]] => x.pad_reflect::<0, 1, 2>();
    "pad_reflect 1 (3, 1)" (x in ANY) over [[2, 4], [2, 5, 2], [1, 4, 1, 2, 2]] => x.pad_reflect::<1, 3, 1>();
    "pad_reflect 0 (0, 0)" (x in ANY) over [[1], [3]] => x.pad_reflect::<0, 0, 0>();
    "pad_reflect_as 1 (3, 1)" (x in ANY) over [[2, 4]] => x.pad_reflect_as::<1, 3, 1, 8>();
    "pad_replicate 0 (1, 2)" (x in ANY) over [[3], [1], [4, 3], [5, 0]] => x.pad_replicate::<0, 1, 2>();
    "pad_replicate 1 (3, 1)" (x in ANY) over [[2, 4], [2, 1, 2], [1, 4, 1, 2, 2]] => x.pad_replicate::<1, 3, 1>();
    "pad_replicate_as 1 (3, 1)" (x in ANY) over [[2, 4]] => x.pad_replicate_as::<1, 3, 1, 8>();
    "flip 0" (x in ANY) over [[5], [1], [3, 4], [0, 3], [2, 3, 2]] => x.flip::<0>();
    "flip 1" (x in ANY) over [[3, 4], [2, 3, 2], [2, 0], [1, 3, 1, 2, 1, 2]] => x.flip::<1>();
    "roll 0 1" (x in ANY) over [[5], [1], [3, 4], [0, 3]] => x.roll::<0>(1);
    "roll 1 -1" (x in ANY) over [[3, 4], [2, 3, 2], [2, 0]] => x.roll::<1>(-1);
    "roll 1 7" (x in ANY) over [[3, 4], [2, 3, 2]] => x.roll::<1>(7);
    "roll 0 -13" (x in ANY) over [[5]] => x.roll::<0>(-13);
    "tile 0 3" (x in ANY) over [[3], [1], [2, 3], [0, 3]] => x.tile::<0, 3>();
    "tile 1 2" (x in ANY) over [[2, 3], [2, 1], [2, 3, 2], [1, 3, 1, 2, 2]] => x.tile::<1, 2>();
    "tile 1 0" (x in ANY) over [[2, 3]] => x.tile::<1, 0>();
    "tile_as 1 2" (x in ANY) over [[2, 3]] => x.tile_as::<1, 2, 6>();
    "repeat_interleave 0 3" (x in ANY) over [[3], [1], [2, 3], [0, 3]] => x.repeat_interleave::<0, 3>();
    "repeat_interleave 1 2" (x in ANY) over [[2, 3], [2, 1], [2, 3, 2], [1, 3, 1, 2, 2]] => x.repeat_interleave::<1, 2>();
    "repeat_interleave 1 0" (x in ANY) over [[2, 3]] => x.repeat_interleave::<1, 0>();
    "repeat_interleave_as 1 2" (x in ANY) over [[2, 3]] => x.repeat_interleave_as::<1, 2, 6>();
    "unfold 0 (3, 1)" (x in ANY) over [[5], [3], [4, 2], [3, 0]] => x.unfold::<0, 3, 1>();
    "unfold 1 (3, 2)" (x in ANY) over [[2, 7], [2, 8], [2, 5, 3], [1, 3, 1, 2, 2]] => x.unfold::<1, 3, 2>();
    "unfold 1 (2, 3)" (x in ANY) over [[2, 7], [2, 8], [2, 5, 3]] => x.unfold::<1, 2, 3>();
    "unfold_as 1 (3, 2)" (x in ANY) over [[2, 7]] => x.unfold_as::<1, 3, 2, 3>();
    "tril 0" (x in ANY) over [[3, 3], [2, 4], [4, 2], [2, 3, 3], [1, 2, 1, 2, 3, 2], [0, 3], [3, 0]] => x.tril(0);
    "tril 1" (x in ANY) over [[3, 3], [2, 4], [2, 3, 3]] => x.tril(1);
    "tril -2" (x in ANY) over [[3, 3], [4, 2]] => x.tril(-2);
    "triu 0" (x in ANY) over [[3, 3], [2, 4], [4, 2], [2, 3, 3], [1, 2, 1, 2, 3, 2], [0, 3], [3, 0]] => x.triu(0);
    "triu 1" (x in ANY) over [[3, 3], [2, 4], [2, 3, 3]] => x.triu(1);
    "triu -2" (x in ANY) over [[3, 3], [4, 2]] => x.triu(-2);
    "tril 0, by value" (x in ANY) over [[3, 3]] => (&x * E::of(2.0)).tril(0).exp();
    "diagonal" (x in ANY) over [[3, 3], [2, 4], [4, 2], [2, 3, 3], [1, 2, 1, 2, 3, 2], [0, 3], [3, 0], [1, 1]] => x.diagonal();
    "diagonal_above 1" (x in ANY) over [[3, 3], [2, 4], [4, 2], [2, 3, 3], [1, 2, 1, 2, 3, 2], [0, 3], [3, 1]] => x.diagonal_above::<1>();
    "diagonal_above 2" (x in ANY) over [[3, 5], [2, 4, 3]] => x.diagonal_above::<2>();
    "diagonal_above_as 2" (x in ANY) over [[3, 5]] => x.diagonal_above_as::<2, 3>();
    "diagonal_below 1" (x in ANY) over [[3, 3], [2, 4], [4, 2], [2, 3, 3], [1, 2, 1, 2, 3, 2], [3, 0], [1, 3]] => x.diagonal_below::<1>();
    "diagonal_below_as 2" (x in ANY) over [[5, 3]] => x.diagonal_below_as::<2, 3>();
    "diag_above 1" (x in ANY) over [[3], [1], [2, 4], [0], [2, 0]] => x.diag_above::<1>();
    "diag_above_as 2" (x in ANY) over [[2, 3]] => x.diag_above_as::<2, 5>();
    "diag_below 2" (x in ANY) over [[3], [1], [2, 4], [0], [2, 0]] => x.diag_below::<2>();
    "diag_below_as 1" (x in ANY) over [[2, 3]] => x.diag_below_as::<1, 4>();
    "diagonal_as" (x in ANY) over [[3, 2]] => x.diagonal_as::<2>();
}
