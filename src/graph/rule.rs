//! What an operation adds to the graph: the data its backward needs, in a named struct, and the rule that uses it.

use super::backward::Pass;
use super::node::NodeRef;
use crate::element::Element;
use crate::shape::Dims;
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
    #[inline]
    pub(crate) fn wanted(&self, i: usize) -> bool {
        let parent = self.parents[i].as_ref();
        parent.is_some_and(|parent| self.pass.wants(parent))
    }

    /// The sizes of parent `i`, if it needs a gradient.
    pub(crate) fn dims(&self, i: usize) -> Option<Dims> {
        let parent = self.parents[i].as_ref().filter(|_| self.wanted(i))?;
        Some(parent.dims())
    }

    /// Adds `grad` to what parent `i` has received so far.
    #[track_caller]
    pub(crate) fn give(&mut self, i: usize, grad: Buffer<E>) {
        if let Some(parent) = self.parents[i]
            .as_ref()
            .filter(|parent| self.pass.wants(parent))
        {
            self.given += 1;
            self.pass.note_given(i);
            self.pass.examine(i, parent, &grad);
            self.pass.deliver(parent, grad);
        }
    }

    /// Lets `add` add to the gradient of parent `i` in place, which is zero where nothing has arrived yet.
    ///
    /// For rules that touch few of the parent's elements, such as a lookup in a table.
    #[track_caller]
    pub(crate) fn add_into(&mut self, i: usize, add: impl FnOnce(&mut [E])) {
        if let Some(parent) = self.parents[i]
            .as_ref()
            .filter(|parent| self.pass.wants(parent))
        {
            self.given += 1;
            self.pass.note_given(i);
            self.pass.deliver_into(i, parent, add);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::parents;
    use crate::shape;
    use crate::tensor::{Raw, Tensor};

    /// Gives these parents the gradient, in this order.
    struct Gives(&'static [usize]);

    impl Rule<f64> for Gives {
        fn name(&self) -> &'static str {
            "gives"
        }
        fn backward(&self, grad: Buffer<f64>, to: &mut Cotangents<'_, f64>) {
            for (place, &i) in self.0.iter().enumerate() {
                if place == 0 {
                    to.add_into(i, |sum| sum[0] += grad[0]);
                } else {
                    to.give(i, grad.clone());
                }
            }
        }
        fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, f64>)) {}
    }

    fn backward_of(gives: &'static [usize], same: bool) -> f64 {
        let x = Tensor::<1, shape![1], f64>::ones().tracked();
        let y = if same {
            x.clone()
        } else {
            Tensor::<1, shape![1], f64>::ones().tracked()
        };
        let node = parents([x.raw.node.as_ref(), y.raw.node.as_ref()])
            .map(|parents| parents.record(&[1], Gives(gives)));
        let result = Tensor::<1, shape![1], f64>::from_raw(Raw {
            values: x.raw.values.clone(),
            node,
        });
        result.sum().backward();
        x.grad().unwrap().to_array()[0]
    }

    #[test]
    fn each_parent_is_given_once_in_any_order() {
        assert_eq!(backward_of(&[0, 1], false), 1.0);
        assert_eq!(backward_of(&[1, 0], true), 2.0);
    }

    #[test]
    #[should_panic(expected = "a rule gave parent 1 its gradient twice")]
    fn one_parent_twice_and_another_not_at_all() {
        backward_of(&[1, 1], false);
    }

    /// The sum would be right, but only by chance.
    #[test]
    #[should_panic(expected = "a rule gave parent 0 its gradient twice")]
    fn the_same_tensor_twice() {
        backward_of(&[0, 0], true);
    }

    #[test]
    #[should_panic(expected = "the rule of `gives` left out a gradient")]
    fn a_parent_that_is_left_out() {
        backward_of(&[0], false);
    }
}
