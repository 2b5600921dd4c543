//! Rows large enough for threads, tiles and blocks, with tails that none of them divides.
//!
//! Too large for the oracle's files. What is checked instead: a large result is made of the results
//! of its parts, whose small relatives the oracle has seen, and its gradient is its slope.

/// Rows in pairs, first large and then small: rows of the small result are rows of the large one.
pub mod by_rows {
    use crate::table::{ANY, NONZERO, rows};
    use shapeproof::shape::{Groups, Same, Slide, Spread, Valid};

    rows! { E;
        "exp" (x in ANY) over [[523, 541], [3, 541]] => x.exp();
        "gelu" (x in ANY) over [[523, 541], [3, 541]] => x.gelu();
        "x * 1.75" (x in ANY) over [[523, 541], [3, 541]] => &x * E::of(1.75);
        "by value" (x in ANY) over [[523, 541], [3, 541]] => ((-&x).exp() + E::of(1.0)).ln();
        "add" (a in ANY, b in ANY) over [[523, 541] [523, 541], [3, 541] [3, 541]] => &a + &b;
        "add" (a in ANY, b in ANY) over [[523, 541] [], [3, 541] []] => &a + &b;
        "mul" (a in ANY, b in ANY) over [[523, 541] [541], [3, 541] [541]] => &a * &b;
        "sub" (a in ANY, b in ANY) over [[541] [523, 541], [541] [3, 541]] => &a - &b;
        "div" (a in ANY, b in NONZERO) over [[523, 541] [523, 1], [3, 541] [3, 1]] => &a / &b;
        "mul" (a in ANY, b in ANY) over [[523, 1] [541], [3, 1] [541]] => &a * &b;
        "mul" (a in ANY, b in ANY) over [[53, 1, 71] [79, 1], [3, 1, 71] [79, 1]] => &a * &b;
        "sum_axis 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.sum_axis::<1>();
        "sum_axis 2" (x in ANY) over [[53, 71, 79], [3, 71, 79]] => x.sum_axis::<2>();
        "mean_keepdim 1" (x in ANY) over [[523, 541], [3, 541]] => x.mean_keepdim::<1>();
        "var_axis 1(1)" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.var_axis::<1>(1);
        "std_axis 1(0)" (x in ANY) over [[523, 541], [3, 541]] => x.std_axis::<1>(0);
        "softmax 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.softmax::<1>();
        "log_softmax 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.log_softmax::<1>();
        "logsumexp_axis 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.logsumexp_axis::<1>();
        "layer_norm 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.layer_norm::<1>(E::of(0.1));
        "cumsum 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.cumsum::<1>();
        "logcumsumexp 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.logcumsumexp::<1>();
        "norm_axis 1(2)" (x in ANY) over [[523, 541], [3, 541]] => x.norm_axis::<1>(E::of(2.0));
        "transpose (1, 2)" (x in ANY) over [[53, 71, 79], [3, 71, 79]] => x.transpose::<1, 2>();
        "matmul" (a in ANY, b in ANY) over [[131, 97] [97, 101], [3, 97] [97, 101]] => a.matmul(&b);
        "matmul" (a in ANY, b in ANY) over [[37, 9, 67] [37, 67, 71], [3, 9, 67] [3, 67, 71]] => a.matmul(&b);
        "matmul" (a in ANY, b in ANY) over [[37, 9, 67] [67, 71], [3, 9, 67] [67, 71]] => a.matmul(&b);
        "matmul" (a in ANY, b in ANY) over [[2053, 521] [521], [3, 521] [521]] => a.matmul(&b);
        // More than one block of columns, and more channels than the gradients work on at once.
        "conv2d same" (x in ANY, w in ANY) over [[7, 13, 40, 41] [9, 13, 3, 3], [2, 13, 40, 41] [9, 13, 3, 3]]
            => x.conv2d(&w, Same);
        "conv2d(2, 2) in 2" (x in ANY, w in ANY) over [[7, 12, 41, 40] [6, 6, 7, 7], [2, 12, 41, 40] [6, 6, 7, 7]]
            => x.conv2d(&w, Groups::<2, _>(Slide::<2, 2>));
        "conv2d valid" (x in ANY, w in ANY) over [[5, 150, 31, 30] [7, 150, 1, 1], [2, 150, 31, 30] [7, 150, 1, 1]]
            => x.conv2d(&w, Valid);
        "conv2d valid" (x in ANY, w in ANY) over [[5, 300, 7, 6] [3, 300, 2, 3], [2, 300, 7, 6] [3, 300, 2, 3]]
            => x.conv2d(&w, Valid);
        "conv1d(3)" (x in ANY, w in ANY) over [[5, 2, 1000] [3, 2, 400], [2, 2, 1000] [3, 2, 400]]
            => x.conv1d(&w, Slide::<3>);
        // One channel at a time, straight from the definition.
        "conv2d same in 13" (x in ANY, w in ANY) over [[17, 13, 40, 41] [26, 1, 3, 3], [2, 13, 40, 41] [26, 1, 3, 3]]
            => x.conv2d(&w, Groups::<13, _>(Same));
        "conv2d(2, 2) in 13" (x in ANY, w in ANY) over [[37, 13, 40, 41] [13, 1, 5, 5], [2, 13, 40, 41] [13, 1, 5, 5]]
            => x.conv2d(&w, Groups::<13, _>(Slide::<2, 2>));
        "conv_transpose2d(2, 1)" (x in ANY, w in ANY) over [[7, 13, 20, 21] [13, 9, 4, 4], [2, 13, 20, 21] [13, 9, 4, 4]]
            => x.conv_transpose2d(&w, Spread::<2, 1>);
        "conv_transpose2d(2, 1, 1) in 2" (x in ANY, w in ANY)
            over [[7, 12, 21, 20] [12, 80, 3, 3], [2, 12, 21, 20] [12, 80, 3, 3]]
            => x.conv_transpose2d(&w, Groups::<2, _>(Spread::<2, 1, 1>));
        "matmul_t" (x in ANY, w in ANY) over [[131, 97] [101, 97], [3, 97] [101, 97]] => x.matmul_t(&w);
    }
}

/// The same for results with kinks, where differences of so many numbers meet one.
pub mod by_rows_kinked {
    use crate::table::{ANY, rows};
    use shapeproof::shape::Pool;

    rows! { E;
        "max_pool2d(2)" (x in ANY) over [[29, 13, 61, 60], [2, 13, 61, 60]] => x.max_pool2d(Pool::<2>);
        "max_pool2d(3, 2, 1)" (x in ANY) over [[29, 13, 61, 60], [2, 13, 61, 60]] => x.max_pool2d(Pool::<3, 2, 1>);
        "max_pool2d(4, 3, 1)" (x in ANY) over [[29, 13, 61, 60], [2, 13, 61, 60]] => x.max_pool2d(Pool::<4, 3, 1>);
        "relu" (x in ANY) over [[523, 541], [3, 541]] => x.relu();
        "maximum" (a in ANY, b in ANY) over [[523, 541] [541], [3, 541] [541]] => a.maximum(&b);
        "max_axis 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.max_axis::<1>();
        "cummax 1" (x in ANY) over [[53, 71, 79], [3, 71, 79]] => x.cummax::<1>().0;
        "sort 1" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.sort::<1>().0;
        "topk 1 19" (x in ANY) over [[523, 541], [3, 541], [53, 71, 79], [3, 71, 79]] => x.topk::<1, 19>().0;
        "min_keepdim 1" (x in ANY) over [[523, 541], [3, 541]] => x.min_keepdim::<1>();
        "select gt" (a in ANY, b in ANY) over [[523, 541] [541], [3, 541] [541]] => a.gt(&b).select(&a, &b);
    }
}

/// Rows that mix all their numbers.
pub mod whole {
    use crate::table::{ANY, rows};
    use shapeproof::prelude::*;

    fn labels() -> Indices<1, shape![523], 541> {
        Indices::from_vec((0..523).map(|row| row * 7 % 541).collect()).expect("below 541")
    }

    rows! { E;
        "sum" (x in ANY) over [[523, 541]] => x.sum();
        "mean" (x in ANY) over [[523, 541]] => x.mean();
        "var(0)" (x in ANY) over [[523, 541]] => x.var(0);
        "logsumexp" (x in ANY) over [[523, 541]] => x.logsumexp();
        "sum_axis 0" (x in ANY) over [[523, 541], [53, 71, 79]] => x.sum_axis::<0>();
        "mean_keepdim 0" (x in ANY) over [[523, 541]] => x.mean_keepdim::<0>();
        "var_axis 0(0)" (x in ANY) over [[523, 541]] => x.var_axis::<0>(0);
        "softmax 0" (x in ANY) over [[523, 541]] => x.softmax::<0>();
        "log_softmax 0" (x in ANY) over [[523, 541]] => x.log_softmax::<0>();
        "layer_norm 0" (x in ANY) over [[523, 541]] => x.layer_norm::<0>(E::of(0.1));
        "logsumexp_axis 0" (x in ANY) over [[523, 541]] => x.logsumexp_axis::<0>();
        "sum_axes (0, 2)" (x in ANY) over [[53, 71, 79]] => x.sum_axes::<axes![0, 2]>();
        "var_axes (0, 2)(1)" (x in ANY) over [[53, 71, 79]] => x.var_axes::<axes![0, 2]>(1);
        "index_select 0" (x in ANY) over [[541, 601]] => x.index_select::<0>(&labels());
        "index_add 0" (x in ANY, src in ANY) over [[541, 601] [523, 601]] => x.index_add::<0>(&labels(), &src);
        "t" (x in ANY) over [[523, 541]] => x.t();
        "permute (2, 0, 1)" (x in ANY) over [[53, 71, 79]] => x.permute::<2, 0, 1>();
        "permute (1, 2, 0)" (x in ANY) over [[53, 71, 79]] => x.permute::<1, 2, 0>();
        "broadcast_to (523, 541)" (x in ANY) over [[541], [523, 1], []] => x.broadcast_to::<shape![523, 541]>();
        "mse" (a in ANY, b in ANY) over [[523, 541] [523, 541]] => a.mse(&b);
        "cross_entropy" (x in ANY) over [[523, 541]] => x.cross_entropy(&labels());
        "embedding" (table in ANY) over [[541, 601]] => table.embedding(&labels());
        "gather 0" (x in ANY) over [[541]] => x.gather::<0>(&labels());
    }
}
