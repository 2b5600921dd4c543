//! The memory that attention takes. Alone in its process: what a thread has kept is given back when it ends, at
//! a time of its own.

use shapeproof::memory;
use shapeproof::prelude::*;

/// A matrix of scores at this length takes 16 MiB; forward and backward together take a few times what the
/// operands do, and twice as much at twice the length.
#[test]
fn memory_is_linear_in_the_length() {
    fn grown<const T: usize>() -> usize {
        memory::empty_cache();
        let before = memory::stats().reserved_bytes;
        let x = Tensor::<2, shape![T, 8]>::randn(&mut Rng::seed(1)).tracked();
        x.scaled_dot_product_attention(&x, &x, (), true)
            .sum()
            .backward();
        assert!(x.grad().is_some());
        memory::stats().reserved_bytes - before
    }
    grown::<256>(); // Threads and their buffers are there from now on.
    let (short, long) = (grown::<1024>(), grown::<2048>());
    assert!(long < 2 << 20, "{long} bytes");
    assert!(long <= 2 * short + (1 << 19), "{short} bytes, then {long}");
}
