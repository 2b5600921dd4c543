//! Indices are compared with indices of the same shape.
//!
//! The way out: take the largest logit along the axis of classes, here `argmax_axis::<1>()`.

use shapeproof::{Indices, Tensor, shape};

fn main() {
    let logits = Tensor::<2, shape![32, 10]>::zeros();
    let labels = Indices::<1, shape![32], 10>::from_vec(vec![0; 32]).unwrap();
    let _ = labels.eq(&logits.argmax_axis::<0>());
}
