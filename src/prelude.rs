//! What most programs need: `use shapeproof::prelude::*;`

pub use crate::element::Element;
pub use crate::graph::{enable_grad, no_grad};
pub use crate::nn::{Layer, Linear, Module};
pub use crate::optim::{Adam, AdamW, Optimizer, Sgd};
pub use crate::random::Rng;
pub use crate::shape::{AnyShape, Axis, Dim, One, Rank, Shape, TensorOf};
pub use crate::tensor::{Indices, Join, Mask, Param, Tensor};
pub use crate::{fields, shape};
