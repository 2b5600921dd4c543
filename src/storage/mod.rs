//! Where values live: shared buffers, the cache that recycles them, and the slot a graph node keeps its rule in.
//!
//! Nothing here knows shapes, kernels or nodes. Together with `kernel` this is the only place with `unsafe` code.

mod buffer;
pub(crate) mod cache;
mod slot;

pub(crate) use buffer::{Buffer, Mark, Plain};
pub(crate) use slot::Slot;
