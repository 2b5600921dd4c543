//! The memory that tensors live in: how much there is, and how to give some back.
//!
//! Buffers of dropped tensors are kept for the next ones of their size, so a training loop in its second
//! step takes nothing more from the system. Each thread keeps up to 1 MiB of small buffers (up to 64 KiB)
//! of each of 36 sizes for itself; all threads share up to 1 GiB of large ones and of what one thread had too many of, a
//! bound that [`set_cache_limit`] changes. Nodes of graphs are kept alike.
//!
//! Buffers of 256 KiB and more lie in huge pages where the system has them. Those of less than 2 MiB share pieces of
//! 8 MiB, which go back to the system when none of their buffers is left.

use crate::storage::cache;

/// Figures about the memory of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// How often memory was taken from the system since the program started.
    pub system_allocations: u64,
    /// Bytes of buffers taken from the system and not given back, whether tensors use them or not.
    pub reserved_bytes: usize,
    /// Bytes of these that wait for the next tensor: in the calling thread's small buffers and in
    /// what all threads share.
    pub cached_bytes: usize,
}

/// The figures at this moment.
///
/// ```
/// use shapeproof::{memory, prelude::*};
///
/// let step = || Tensor::<2, shape![64, 64]>::ones().exp().sum().item();
/// step();
/// let before = memory::stats().system_allocations;
/// step();
/// assert_eq!(memory::stats().system_allocations, before);
/// ```
pub fn stats() -> Stats {
    Stats {
        system_allocations: cache::system_allocations(),
        reserved_bytes: cache::reserved_bytes(),
        cached_bytes: cache::cached_bytes(),
    }
}

/// Gives the buffers that wait for the next tensor back to the system: the calling thread's small ones
/// and those that all threads share.
pub fn empty_cache() {
    cache::empty();
}

/// Bounds the buffers that all threads share for the next tensor, in bytes. 0 keeps none but each thread's small ones.
pub fn set_cache_limit(bytes: usize) {
    cache::set_limit(bytes);
}
