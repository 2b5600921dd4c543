//! What an operation adds to the graph: the data its backward needs, in a named struct, and the rule that uses it.

use super::backward::Pass;
use super::node::NodeRef;
use crate::element::Element;
use crate::storage::Buffer;

/// The backward half of an operation. The struct that implements it holds what forward saved.
pub(crate) trait Rule<E: Element>: Send + Sync + 'static {
    /// The operation's name, as users write it.
    fn name(&self) -> &'static str;

    /// Turns the gradient of the output into gradients of the parents.
    ///
    /// Every parent that is [`wanted`](Cotangents::wanted) must be given its gradient exactly once;
    /// for the others nothing need be computed. `grad` is the rule's own: where nobody else holds
    /// it, it may be worked on in place.
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>);

    /// Shows each saved field, for whoever inspects the graph.
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>));
}

/// A field that a rule saved.
pub(crate) enum Saved<'a, E: Element> {
    /// Values of a tensor.
    Values(&'a Buffer<E>),
    /// Positions, such as those of maxima.
    Positions(&'a Buffer<usize>),
    /// Truth values.
    Flags(&'a Buffer<u8>),
    /// A single number, such as an exponent.
    Number(f64),
}

/// Where a rule puts the gradients it computes.
pub(crate) struct Cotangents<'a, E: Element> {
    pub(super) parents: &'a [Option<NodeRef<E>>],
    pub(super) pass: &'a mut Pass<E>,
    /// The parents that were given their gradient.
    pub(super) given: usize,
}

impl<E: Element> Cotangents<'_, E> {
    /// True if parent `i` needs a gradient.
    pub(crate) fn wanted(&self, i: usize) -> bool {
        self.parents[i].is_some()
    }

    /// Adds `grad` to what parent `i` has received so far.
    pub(crate) fn give(&mut self, i: usize, grad: Buffer<E>) {
        if let Some(parent) = &self.parents[i] {
            self.given += 1;
            self.pass.deliver(parent, grad);
        }
    }

    /// Lets `add` add to the gradient of parent `i` in place, which is zero where nothing has arrived yet.
    ///
    /// For rules that touch few of the parent's elements, such as a lookup in a table.
    pub(crate) fn add_into(&mut self, i: usize, add: impl FnOnce(&mut [E])) {
        if let Some(parent) = &self.parents[i] {
            self.given += 1;
            self.pass.deliver_into(parent, add);
        }
    }
}
