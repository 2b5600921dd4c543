//! Softmax and its logarithm along each axis.

use super::{ANY, WIDE};

super::rows! { E;
    "softmax 0" (x in ANY) over [[5], [37], [3, 4], [37, 3], [2, 3, 4]] => x.softmax::<0>();
    "softmax 1" (x in ANY) over [[3, 4], [3, 37], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3]] => x.softmax::<1>();
    "softmax 2" (x: [2, 3, 4] in ANY) => x.softmax::<2>();
    "log_softmax 0" (x in ANY) over [[5], [37], [3, 4], [37, 3], [2, 3, 4]] => x.log_softmax::<0>();
    "log_softmax 1" (x in ANY) over [[3, 4], [3, 37], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3]] => x.log_softmax::<1>();
    "log_softmax 2" (x: [2, 3, 4] in ANY) => x.log_softmax::<2>();
    "layer_norm 0" (x in ANY) over [[5], [37], [3, 4], [37, 3], [2, 3, 4]] => x.layer_norm::<0>(E::of(0.1));
    "layer_norm 1" (x in ANY) over [[3, 4], [3, 37], [3, 1], [2, 3, 4], [2, 2, 3, 2], [0, 3]] => x.layer_norm::<1>(E::of(0.1));
    "layer_norm 2" (x: [2, 3, 4] in ANY) => x.layer_norm::<2>(E::of(0.1));
    "layer_norm 1 wide" (x: [3, 5] in WIDE) => x.layer_norm::<1>(E::of(0.1));
    // Shifts by the maximum: without it these overflow in f32 or lose everything.
    "softmax 1 wide" (x: [3, 5] in WIDE) => x.softmax::<1>();
    "log_softmax 1 wide" (x: [3, 5] in WIDE) => x.log_softmax::<1>();
    "logsumexp_axis 1 wide" (x: [3, 5] in WIDE) => x.logsumexp_axis::<1>();
}
