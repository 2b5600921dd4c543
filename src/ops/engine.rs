//! The parts of the engine that are compiled once for each element type, beside the operations.

use super::compiled::compiled;
use crate::graph::{Freed, NodeRef, Reach, backward, gradients};
use crate::kernel::Descent;
use crate::optim::{Moments, Rates, adam, sgd};
use crate::storage::Buffer;
use crate::tensor::display::print;
use std::fmt;

compiled! {
    /// Backward, optimizer updates and printing.
    trait Engine {
        fn backward(root: &NodeRef<E>, seed: Buffer<E>, retain: bool) -> Result<(), Freed> => by_hand;
        fn gradients(root: &NodeRef<E>, seed: Buffer<E>, targets: &[u64], reach: Reach) -> Result<Vec<Option<Buffer<E>>>, Freed> => by_hand;
        fn adam(rates: &Rates<E>, moments: &mut Moments<E>, values: &mut [E], grad: &[E]) => by_hand;
        fn sgd(rates: &Descent<E>, momentum: &mut Option<Buffer<E>>, values: &mut [E], grad: &[E]) => by_hand;
        fn print(f: &mut fmt::Formatter<'_>, values: &[E], dims: &[usize]) -> fmt::Result => by_hand;
    }
}
