//! What most programs need: `use shapeproof::prelude::*;`
//!
//! Where a program names a type itself that it imports by this glob, rustc's errors show the type's path:
//! `shapeproof::Dim<3>` for `Dim<3>`. Importing by name, or writing `shape![3]`, keeps errors short.

pub use crate::element::Element;
pub use crate::fusion::fuse;
pub use crate::graph::{enable_grad, no_grad};
pub use crate::nn::{Gelu, Layer, Linear, Module, Relu, Sigmoid, Silu, Tanh};
pub use crate::optim::{Adam, AdamConfig, AdamW, AdamWConfig, Optimizer, Sgd, SgdConfig};
pub use crate::random::Rng;
pub use crate::shape::{AnyShape, Axis, Dim, One, Rank, Shape, TensorOf};
pub use crate::tensor::{Embeds, Gathers, Indices, Join, Mask, Param, Selects, Tensor, Tensordot};
pub use crate::{axes, einsum, fields, shape};
