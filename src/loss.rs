//! The forms that losses come in, and the options of cross-entropy. The losses themselves are methods of
//! [`Tensor`](crate::Tensor).
//!
//! Every loss has three forms with different results: its own name is the mean, a single number; `_sum` is the
//! sum, a single number too; `_none` leaves the losses as they are, one for each element or row.
//!
//! | of each element | of each row along the last axis |
//! |---|---|
//! | [`mse`](crate::Tensor::mse), [`mae`](crate::Tensor::mae), [`huber`](crate::Tensor::huber), [`smooth_l1`](crate::Tensor::smooth_l1) | [`cross_entropy`](crate::Tensor::cross_entropy), [`cross_entropy_with`](crate::Tensor::cross_entropy_with) options, [`cross_entropy_soft`](crate::Tensor::cross_entropy_soft), [`nll`](crate::Tensor::nll) |
//! | [`bce`](crate::Tensor::bce), [`bce_with_logits`](crate::Tensor::bce_with_logits), [`bce_with_logits_weighted`](crate::Tensor::bce_with_logits_weighted) | [`cosine_embedding`](crate::Tensor::cosine_embedding), [`triplet_margin`](crate::Tensor::triplet_margin) |
//! | [`kl_div`](crate::Tensor::kl_div), [`hinge`](crate::Tensor::hinge) | |
//!
//! ```
//! use shapeproof::prelude::*;
//!
//! let (x, target) = (Tensor::from([1.0f32, 2.0]), Tensor::from([0.0, 4.0]));
//! let mean: Tensor<0, ()> = x.mse(&target);
//! let each: Tensor<1, shape![2]> = x.mse_none(&target);
//! assert_eq!((mean.item(), each.to_array()), (2.5, [1.0, 4.0]));
//! ```

pub use crate::ops::CrossEntropy;
