//! Statically shaped tensors with reverse-mode automatic differentiation.

pub mod element;
pub mod error;
pub mod graph;
mod kernel;
pub mod memory;
pub mod nn;
mod ops;
pub mod optim;
pub mod prelude;
pub mod random;
pub mod shape;
mod storage;
pub mod tensor;

pub use rand_core;
pub use random::Rng;
pub use shape::{AnyShape, Axis, Dim, One, Rank, Shape, TensorOf};
pub use tensor::{Indices, Mask, Param, Tensor};
