//! Where values live: shared buffers, shared nodes, the cache that recycles both, and the slot a node keeps its rule in.
//!
//! Nothing here knows shapes, kernels or nodes. Together with `kernel` this is the only place with `unsafe` code.

mod buffer;
pub(crate) mod cache;
mod huge;
mod region;
mod shared;
mod slot;

pub(crate) use buffer::{Buffer, Mark, Plain};
pub(crate) use shared::Shared;
pub(crate) use slot::{Holder, Key, Slot};
