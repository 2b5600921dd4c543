//! Convolutions and transposed ones: strides, paddings, dilations and groups, kernels larger and smaller than their strides.

use super::ANY;
use shapeproof::shape::{Groups, Same, SameDilated, Slide, Spread, Valid};

super::rows! { E;
    "conv1d valid" (x: [2, 3, 9] in ANY, w: [4, 3, 4] in ANY) => x.conv1d(&w, Valid);
    "conv1d valid" (x: [1, 1, 5] in ANY, w: [1, 1, 5] in ANY) => x.conv1d(&w, Valid);
    "conv1d valid" (x: [2, 3, 5] in ANY, w: [2, 3, 1] in ANY) => x.conv1d(&w, Valid);
    "conv1d same" (x: [2, 2, 7] in ANY, w: [3, 2, 3] in ANY) => x.conv1d(&w, Same);
    "conv1d same" (x: [2, 2, 7] in ANY, w: [3, 2, 4] in ANY) => x.conv1d(&w, Same);
    "conv1d same" (x: [1, 2, 2] in ANY, w: [3, 2, 5] in ANY) => x.conv1d(&w, Same);
    "conv1d same by 3" (x: [2, 2, 7] in ANY, w: [1, 2, 3] in ANY) => x.conv1d(&w, SameDilated::<3>);
    "conv1d same by 3" (x: [2, 2, 7] in ANY, w: [1, 2, 2] in ANY) => x.conv1d(&w, SameDilated::<3>);
    "conv1d(2)" (x: [2, 3, 9] in ANY, w: [4, 3, 4] in ANY) => x.conv1d(&w, Slide::<2>);
    "conv1d(3, 2)" (x: [2, 3, 8] in ANY, w: [2, 3, 2] in ANY) => x.conv1d(&w, Slide::<3, 2>);
    "conv1d(2, 1, 2)" (x: [2, 1, 2] in ANY, w: [2, 1, 2] in ANY) => x.conv1d(&w, Slide::<2, 1, 2>);
    "conv1d(2, 3, 3)" (x: [1, 2, 11] in ANY, w: [2, 2, 4] in ANY) => x.conv1d(&w, Slide::<2, 3, 3>);
    "conv1d(1, 4)" (x: [1, 2, 3] in ANY, w: [2, 2, 3] in ANY) => x.conv1d(&w, Slide::<1, 4>);
    "conv1d valid in 2" (x: [2, 4, 6] in ANY, w: [6, 2, 3] in ANY) => x.conv1d(&w, Groups::<2, _>(Valid));
    "conv1d(2, 1, 2) in 3" (x: [2, 3, 7] in ANY, w: [6, 1, 2] in ANY) => x.conv1d(&w, Groups::<3, _>(Slide::<2, 1, 2>));
    "conv1d valid" (x: [0, 2, 4] in ANY, w: [3, 2, 2] in ANY) => x.conv1d(&w, Valid);
    "conv1d valid" (x: [2, 0, 4] in ANY, w: [3, 0, 2] in ANY) => x.conv1d(&w, Valid);
    "conv1d valid" (x: [2, 2, 4] in ANY, w: [0, 2, 2] in ANY) => x.conv1d(&w, Valid);
    "conv1d(1, 1)" (x: [2, 2, 0] in ANY, w: [3, 2, 2] in ANY) => x.conv1d(&w, Slide::<1, 1>);

    "conv2d valid" (x: [2, 3, 5, 6] in ANY, w: [4, 3, 3, 2] in ANY) => x.conv2d(&w, Valid);
    "conv2d valid" (x: [1, 1, 4, 3] in ANY, w: [1, 1, 4, 3] in ANY) => x.conv2d(&w, Valid);
    "conv2d valid" (x: [2, 3, 4, 3] in ANY, w: [2, 3, 1, 1] in ANY) => x.conv2d(&w, Valid);
    "conv2d valid" (x: [2, 2, 4, 3] in ANY, w: [2, 2, 1, 3] in ANY) => x.conv2d(&w, Valid);
    "conv2d same" (x: [2, 2, 4, 5] in ANY, w: [2, 2, 3, 3] in ANY) => x.conv2d(&w, Same);
    "conv2d same" (x: [1, 2, 4, 3] in ANY, w: [2, 2, 2, 4] in ANY) => x.conv2d(&w, Same);
    "conv2d same by 2" (x: [1, 2, 4, 5] in ANY, w: [2, 2, 3, 2] in ANY) => x.conv2d(&w, SameDilated::<2>);
    "conv2d(2)" (x: [2, 2, 5, 6] in ANY, w: [3, 2, 3, 3] in ANY) => x.conv2d(&w, Slide::<2>);
    "conv2d(2)" (x: [2, 3, 5, 6] in ANY, w: [2, 3, 1, 1] in ANY) => x.conv2d(&w, Slide::<2>);
    "conv2d(1, 1)" (x: [2, 3, 3, 2] in ANY, w: [2, 3, 1, 1] in ANY) => x.conv2d(&w, Slide::<1, 1>);
    "conv2d(2, 1)" (x: [2, 3, 6, 7] in ANY, w: [2, 3, 3, 3] in ANY) => x.conv2d(&w, Slide::<2, 1>);
    "conv2d(3, 2, 2)" (x: [1, 2, 7, 8] in ANY, w: [2, 2, 3, 2] in ANY) => x.conv2d(&w, Slide::<3, 2, 2>);
    "conv2d((1, 1), (2, 0, 2))" (x: [2, 2, 4, 7] in ANY, w: [3, 2, 3, 2] in ANY)
        => x.conv2d(&w, (Slide::<1, 1>, Slide::<2, 0, 2>));
    "conv2d(same, valid)" (x: [2, 2, 4, 5] in ANY, w: [3, 2, 3, 2] in ANY) => x.conv2d(&w, (Same, Valid));
    "conv2d same in 2" (x: [2, 4, 3, 4] in ANY, w: [2, 2, 3, 3] in ANY) => x.conv2d(&w, Groups::<2, _>(Same));
    "conv2d(2, 1) in 4" (x: [2, 4, 4, 4] in ANY, w: [4, 1, 3, 3] in ANY) => x.conv2d(&w, Groups::<4, _>(Slide::<2, 1>));
    "conv2d(2, 1) in 3" (x: [2, 3, 4, 4] in ANY, w: [6, 1, 3, 2] in ANY) => x.conv2d(&w, Groups::<3, _>(Slide::<2, 1>));
    "conv2d in 2, pairs" (x: [1, 4, 4, 5] in ANY, w: [2, 2, 2, 3] in ANY)
        => x.conv2d(&w, Groups::<2, _>((Slide::<2, 1>, Slide::<1, 1, 2>)));
    "conv2d valid" (x: [0, 2, 4, 3] in ANY, w: [3, 2, 2, 2] in ANY) => x.conv2d(&w, Valid);
    "conv2d valid" (x: [2, 0, 4, 3] in ANY, w: [3, 0, 2, 2] in ANY) => x.conv2d(&w, Valid);
    "conv2d valid" (x: [2, 2, 4, 3] in ANY, w: [0, 2, 2, 2] in ANY) => x.conv2d(&w, Valid);

    "conv_transpose1d(1)" (x: [2, 3, 5] in ANY, w: [3, 4, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);
    "conv_transpose1d(1)" (x: [1, 1, 1] in ANY, w: [1, 1, 4] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);
    "conv_transpose1d(1)" (x: [2, 3, 4] in ANY, w: [3, 2, 1] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);
    "conv_transpose1d(2)" (x: [2, 2, 4] in ANY, w: [2, 3, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<2>);
    "conv_transpose1d(3)" (x: [2, 2, 4] in ANY, w: [2, 3, 2] in ANY)
        => x.conv_transpose1d(&w, Spread::<3>);
    "conv_transpose1d(2, 1)" (x: [2, 2, 5] in ANY, w: [2, 3, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<2, 1>);
    "conv_transpose1d(2, 1, 1)" (x: [2, 2, 5] in ANY, w: [2, 3, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<2, 1, 1>);
    "conv_transpose1d(1, 1, 1, 2)" (x: [1, 2, 4] in ANY, w: [2, 3, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<1, 1, 1, 2>);
    "conv_transpose1d(2, 2, 1, 3)" (x: [1, 2, 4] in ANY, w: [2, 2, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<2, 2, 1, 3>);
    "conv_transpose1d(3, 0, 2)" (x: [2, 1, 3] in ANY, w: [1, 2, 1] in ANY)
        => x.conv_transpose1d(&w, Spread::<3, 0, 2>);
    "conv_transpose1d(1, 2)" (x: [1, 2, 6] in ANY, w: [2, 2, 3] in ANY)
        => x.conv_transpose1d(&w, Spread::<1, 2>);
    "conv_transpose1d(2, 1) in 2" (x: [2, 4, 3] in ANY, w: [4, 3, 3] in ANY)
        => x.conv_transpose1d(&w, Groups::<2, _>(Spread::<2, 1>));
    "conv_transpose1d(2, 1, 1) in 3" (x: [2, 3, 4] in ANY, w: [3, 1, 2] in ANY)
        => x.conv_transpose1d(&w, Groups::<3, _>(Spread::<2, 1, 1>));
    "conv_transpose1d(1)" (x: [0, 2, 4] in ANY, w: [2, 3, 2] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);
    "conv_transpose1d(1)" (x: [2, 0, 4] in ANY, w: [0, 3, 2] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);
    "conv_transpose1d(1)" (x: [2, 2, 4] in ANY, w: [2, 0, 2] in ANY)
        => x.conv_transpose1d(&w, Spread::<1>);

    "conv_transpose2d(1)" (x: [2, 3, 3, 4] in ANY, w: [3, 2, 3, 2] in ANY)
        => x.conv_transpose2d(&w, Spread::<1>);
    "conv_transpose2d(1, 0, 0, 2)" (x: [1, 1, 10, 10] in ANY, w: [1, 1, 3, 3] in ANY)
        => x.conv_transpose2d(&w, Spread::<1, 0, 0, 2>);
    "conv_transpose2d(1)" (x: [2, 3, 4, 3] in ANY, w: [3, 2, 1, 1] in ANY)
        => x.conv_transpose2d(&w, Spread::<1>);
    "conv_transpose2d(2, 1)" (x: [2, 2, 3, 4] in ANY, w: [2, 3, 4, 4] in ANY)
        => x.conv_transpose2d(&w, Spread::<2, 1>);
    "conv_transpose2d(2, 1, 1)" (x: [2, 2, 3, 4] in ANY, w: [2, 2, 3, 3] in ANY)
        => x.conv_transpose2d(&w, Spread::<2, 1, 1>);
    "conv_transpose2d((2, 1, 1), (1, 0, 1, 2))" (x: [2, 2, 3, 4] in ANY, w: [2, 3, 3, 2] in ANY)
        => x.conv_transpose2d(&w, (Spread::<2, 1, 1>, Spread::<1, 0, 1, 2>));
    "conv_transpose2d(2) in 2" (x: [2, 4, 3, 2] in ANY, w: [4, 2, 2, 2] in ANY)
        => x.conv_transpose2d(&w, Groups::<2, _>(Spread::<2>));
    "conv_transpose2d(2, 1, 1) in 4" (x: [1, 4, 3, 3] in ANY, w: [4, 1, 3, 3] in ANY)
        => x.conv_transpose2d(&w, Groups::<4, _>(Spread::<2, 1, 1>));
    "conv_transpose2d(1)" (x: [0, 2, 3, 3] in ANY, w: [2, 3, 2, 2] in ANY)
        => x.conv_transpose2d(&w, Spread::<1>);
}
