//! Permuted tensors are what they look like.

use super::check::{by_place, exactly, grad};
use shapeproof::prelude::*;

both! {
    // IntelPython/dpctl#1391
    fn the_sum_over_an_axis_of_one_after_a_permutation<E>() {
        let x: Tensor<3, shape![1, 2, 3], E> = by_place(|i| i as f64);
        let x = x.tracked();
        let y = x.permute::<2, 1, 0>().sum_axis::<2>();
        exactly(&y, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        let seed: Tensor<2, shape![3, 2], E> = by_place(|i| i as f64);
        y.backward_with(&seed);
        exactly(&grad(&x), [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
        // The other reductions, and the other axes of one.
        let x = x.detach();
        exactly(&x.permute::<2, 1, 0>().max_axis::<2>(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        exactly(&x.permute::<1, 0, 2>().mean_axis::<1>(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        exactly(&x.transpose::<0, 2>().squeeze::<2>(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        exactly(&x.permute::<2, 0, 1>().logsumexp_axis::<1>(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    }
}
