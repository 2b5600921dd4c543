//! Running sums, products and extremes along each axis.

use super::{ANY, DISTINCT, NONZERO, WIDE};

super::rows! { E;
    "cumsum 0" (x in ANY) over [[5], [37], [1], [3, 4], [37, 3], [2, 3, 4]] => x.cumsum::<0>();
    "cumsum 1" (x in ANY) over [[3, 4], [3, 37], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3], [3, 0]] => x.cumsum::<1>();
    "cumsum 2" (x: [2, 3, 4] in ANY) => x.cumsum::<2>();
    "cumprod 0" (x in NONZERO) over [[5], [7], [1], [3, 4], [7, 3], [2, 3, 4]] => x.cumprod::<0>();
    "cumprod 1" (x in NONZERO) over [[3, 4], [3, 7], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3], [3, 0]] => x.cumprod::<1>();
    "cumprod 2" (x: [2, 3, 4] in NONZERO) => x.cumprod::<2>();
    "logcumsumexp 0" (x in ANY) over [[5], [37], [1], [3, 4], [37, 3], [2, 3, 4]] => x.logcumsumexp::<0>();
    "logcumsumexp 1" (x in ANY) over [[3, 4], [3, 37], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3], [3, 0]] => x.logcumsumexp::<1>();
    "logcumsumexp 2" (x: [2, 3, 4] in ANY) => x.logcumsumexp::<2>();
    "logcumsumexp 1 wide" (x: [3, 5] in WIDE) => x.logcumsumexp::<1>();
    "cummax 0" (x in DISTINCT) over [[5], [37], [1], [3, 4], [37, 3]] => x.cummax::<0>().0;
    "cummax 1" (x in DISTINCT) over [[3, 4], [3, 37], [2, 3, 4], [0, 3], [3, 0]] => x.cummax::<1>().0;
    "cummin 0" (x in DISTINCT) over [[5], [37], [1], [3, 4], [37, 3]] => x.cummin::<0>().0;
    "cummin 1" (x in DISTINCT) over [[3, 4], [3, 37], [2, 3, 4], [0, 3], [3, 0]] => x.cummin::<1>().0;
    // Where they stand, seen through one-hot.
    "cummax 1 at" (x: [3, 4] in DISTINCT, w: [3, 4, 4] in DISTINCT) => &w * x.cummax::<1>().1.one_hot::<E>();
    "cummin 0 at" (x: [3, 4] in DISTINCT, w: [3, 4, 3] in DISTINCT) => &w * x.cummin::<0>().1.one_hot::<E>();
}
