//! Pooling and resampling: windows that overlap, leave gaps, and reach into the padding.

use super::{ANY, DISTINCT};
use shapeproof::shape::{Ceil, Inside, Pool};

super::rows! { E;
    "max_pool1d(2)" (x: [2, 3, 7] in DISTINCT) => x.max_pool1d(Pool::<2>);
    "max_pool1d(1)" (x: [1, 2, 3] in DISTINCT) => x.max_pool1d(Pool::<1>);
    "max_pool1d(2, 3)" (x: [2, 2, 8] in DISTINCT) => x.max_pool1d(Pool::<2, 3>);
    "max_pool1d(2, 1, 1)" (x: [2, 2, 4] in DISTINCT) => x.max_pool1d(Pool::<2, 1, 1>);
    "max_pool1d(3, 2, 1)" (x: [2, 2, 8] in DISTINCT) => x.max_pool1d(Pool::<3, 2, 1>);
    "max_pool1d(3, 1, 1, 2)" (x: [1, 2, 9] in DISTINCT) => x.max_pool1d(Pool::<3, 1, 1, 2>);
    "max_pool2d(2)" (x: [2, 2, 4, 5] in DISTINCT) => x.max_pool2d(Pool::<2>);
    "max_pool2d(3, 2, 1)" (x: [2, 2, 5, 6] in DISTINCT) => x.max_pool2d(Pool::<3, 2, 1>);
    "max_pool2d(2, 1, 0, 2)" (x: [1, 2, 4, 5] in DISTINCT) => x.max_pool2d(Pool::<2, 1, 0, 2>);
    "max_pool2d((2), (3, 1, 1))" (x: [2, 1, 4, 4] in DISTINCT) => x.max_pool2d((Pool::<2>, Pool::<3, 1, 1>));
    "max_pool2d(2)" (x: [0, 2, 4, 5] in DISTINCT) => x.max_pool2d(Pool::<2>);
    "max_pool1d ceil(2)" (x: [2, 3, 7] in DISTINCT) => x.max_pool1d(Ceil(Pool::<2>));
    "max_pool1d ceil(2)" (x: [1, 2, 6] in DISTINCT) => x.max_pool1d(Ceil(Pool::<2>));
    "max_pool1d ceil(3, 2, 1)" (x: [2, 2, 6] in DISTINCT) => x.max_pool1d(Ceil(Pool::<3, 2, 1>));
    "max_pool1d ceil(3, 2)" (x: [1, 2, 2] in DISTINCT) => x.max_pool1d(Ceil(Pool::<3, 2>));
    "max_pool1d ceil(2, 3, 1)" (x: [1, 2, 5] in DISTINCT) => x.max_pool1d(Ceil(Pool::<2, 3, 1>));
    "max_pool1d ceil(2, 4, 1, 3)" (x: [1, 2, 9] in DISTINCT) => x.max_pool1d(Ceil(Pool::<2, 4, 1, 3>));
    "max_pool2d ceil(3, 2)" (x: [2, 2, 4, 6] in DISTINCT) => x.max_pool2d(Ceil(Pool::<3, 2>));
    "max_pool2d (ceil(2), (3, 2, 1))" (x: [2, 1, 5, 6] in DISTINCT)
        => x.max_pool2d((Ceil(Pool::<2>), Pool::<3, 2, 1>));
    "global_max_pool2d" (x: [2, 3, 3, 2] in DISTINCT) => x.global_max_pool2d();

    "avg_pool1d(2)" (x: [2, 3, 7] in ANY) => x.avg_pool1d(Pool::<2>);
    "avg_pool1d(2, 3)" (x: [2, 2, 8] in ANY) => x.avg_pool1d(Pool::<2, 3>);
    "avg_pool1d(3, 2, 1)" (x: [2, 2, 8] in ANY) => x.avg_pool1d(Pool::<3, 2, 1>);
    "avg_pool1d inside(3, 2, 1)" (x: [2, 2, 8] in ANY) => x.avg_pool1d(Inside(Pool::<3, 2, 1>));
    "avg_pool2d(2)" (x: [2, 2, 4, 5] in ANY) => x.avg_pool2d(Pool::<2>);
    "avg_pool2d(3, 2, 1)" (x: [2, 2, 5, 6] in ANY) => x.avg_pool2d(Pool::<3, 2, 1>);
    "avg_pool2d inside(3, 2, 1)" (x: [2, 2, 5, 6] in ANY) => x.avg_pool2d(Inside(Pool::<3, 2, 1>));
    "avg_pool2d((2), (3, 1, 1))" (x: [2, 1, 4, 4] in ANY) => x.avg_pool2d((Pool::<2>, Pool::<3, 1, 1>));
    "avg_pool2d(2)" (x: [2, 0, 4, 5] in ANY) => x.avg_pool2d(Pool::<2>);
    "avg_pool1d ceil(2)" (x: [2, 3, 7] in ANY) => x.avg_pool1d(Ceil(Pool::<2>));
    "avg_pool1d ceil(3, 2, 1)" (x: [2, 2, 6] in ANY) => x.avg_pool1d(Ceil(Pool::<3, 2, 1>));
    "avg_pool1d inside ceil(3, 2, 1)" (x: [2, 2, 6] in ANY) => x.avg_pool1d(Inside(Ceil(Pool::<3, 2, 1>)));
    "avg_pool1d inside ceil(3, 2, 1)" (x: [1, 2, 7] in ANY) => x.avg_pool1d(Inside(Ceil(Pool::<3, 2, 1>)));
    "avg_pool1d ceil(3, 2)" (x: [1, 2, 2] in ANY) => x.avg_pool1d(Ceil(Pool::<3, 2>));
    "avg_pool1d ceil(2, 3, 1)" (x: [1, 2, 5] in ANY) => x.avg_pool1d(Ceil(Pool::<2, 3, 1>));
    "avg_pool2d ceil(3, 2, 1)" (x: [2, 2, 4, 6] in ANY) => x.avg_pool2d(Ceil(Pool::<3, 2, 1>));
    "avg_pool2d (ceil(2), inside(3, 2, 1))" (x: [2, 1, 5, 6] in ANY)
        => x.avg_pool2d((Ceil(Pool::<2>), Inside(Pool::<3, 2, 1>)));
    "adaptive_avg_pool1d 3" (x: [2, 2, 7] in ANY) => x.adaptive_avg_pool1d::<3>();
    "adaptive_avg_pool1d 5" (x: [1, 2, 3] in ANY) => x.adaptive_avg_pool1d::<5>();
    "adaptive_avg_pool2d (2, 3)" (x: [2, 2, 5, 7] in ANY) => x.adaptive_avg_pool2d::<2, 3>();
    "adaptive_avg_pool2d (3, 1)" (x: [1, 2, 2, 4] in ANY) => x.adaptive_avg_pool2d::<3, 1>();
    "global_avg_pool2d" (x: [2, 3, 3, 2] in ANY) => x.global_avg_pool2d();

    "upsample_nearest2d (4, 6)" (x: [2, 1, 2, 3] in ANY) => x.upsample_nearest2d::<4, 6>();
    "upsample_nearest2d (5, 4)" (x: [1, 2, 3, 7] in ANY) => x.upsample_nearest2d::<5, 4>();
    "upsample_bilinear2d (4, 6)" (x: [2, 1, 2, 3] in ANY) => x.upsample_bilinear2d::<4, 6>();
    "upsample_bilinear2d (5, 3)" (x: [1, 2, 3, 7] in ANY) => x.upsample_bilinear2d::<5, 3>();
    "upsample_bilinear2d_corners (5, 7)" (x: [1, 2, 3, 4] in ANY) => x.upsample_bilinear2d_corners::<5, 7>();
    "upsample_bilinear2d_corners (1, 2)" (x: [1, 2, 3, 1] in ANY) => x.upsample_bilinear2d_corners::<1, 2>();
}
