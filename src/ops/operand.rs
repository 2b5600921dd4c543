//! An operand as an operation receives it: given away, or lent.

use crate::element::Element;
use crate::graph::{NodeRef, Parents, is_recorded};
use crate::kernel::Source;
use crate::storage::Buffer;
use crate::tensor::Raw;

/// A tensor without its type.
pub(crate) enum Operand<'a, E: Element> {
    /// Given away: its buffer may serve for the result.
    Owned(&'a mut Raw<E>),
    /// Lent: it stays as it is.
    Shared(&'a Raw<E>),
}

impl<'a, E: Element> Operand<'a, E> {
    pub(super) fn raw(&self) -> &Raw<E> {
        match self {
            Operand::Owned(raw) => raw,
            Operand::Shared(raw) => raw,
        }
    }

    /// The same, but lent.
    pub(super) fn shared(self) -> Operand<'a, E> {
        match self {
            Operand::Owned(raw) => Operand::Shared(raw),
            shared => shared,
        }
    }

    pub(crate) fn node(&self) -> Option<&NodeRef<E>> {
        self.raw().node.as_ref()
    }

    /// The node, out of an operand that was given away.
    fn take_node(&mut self) -> Option<NodeRef<E>> {
        match self {
            Operand::Owned(raw) => raw.node.take(),
            Operand::Shared(raw) => raw.node.clone(),
        }
    }

    /// The operands as parents, if an operation on them is to be recorded.
    #[inline(always)]
    pub(crate) fn parents<const N: usize>(operands: [&mut Self; N]) -> Option<Parents<E, N>> {
        is_recorded(operands.iter().map(|operand| operand.node()))
            .then(|| Parents::new(operands.map(Operand::take_node)))
    }

    /// A share of the values for backward. It keeps them from being overwritten.
    pub(crate) fn save(&self) -> Buffer<E> {
        self.raw().values.clone()
    }

    /// The values for forward.
    pub(crate) fn source(self) -> Source<'a, E> {
        match self {
            Operand::Owned(raw) => Source::Owned(&mut raw.values),
            Operand::Shared(raw) => Source::Shared(&raw.values),
        }
    }
}
