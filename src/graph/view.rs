//! Looking at a graph: operations, shapes, what each has saved, and where it came from.

use super::node::{NodeRef, Recorded};
use super::rule::{Rule, Saved};
use crate::element::Element;
use std::fmt;

/// A look at one node of the graph behind a tensor.
///
/// ```
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 2.0]).tracked();
/// let y = x.exp();
/// let node = y.node().unwrap();
/// assert_eq!((node.op(), node.dims()), ("exp", &[2][..]));
/// assert_eq!(node.saved()[0].name(), "output");
/// assert_eq!(node.parents()[0].op(), "leaf");
/// ```
#[derive(Clone)]
pub struct NodeView<E: Element>(NodeRef<E>);

/// A field that an operation saved for its backward.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedView {
    name: &'static str,
    values: Vec<f64>,
    bytes: usize,
}

impl SavedView {
    /// The field's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The saved values; positions and truth values as whole numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The memory that the field keeps alive, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<E: Element> NodeView<E> {
    pub(crate) fn new(node: &NodeRef<E>) -> Self {
        NodeView(node.clone())
    }

    /// The node's creation number: unique, and larger than those of its parents.
    pub fn id(&self) -> u64 {
        self.0.id()
    }

    /// The sizes of the axes of the node's tensor.
    pub fn dims(&self) -> &[usize] {
        self.0.dims()
    }

    /// The operation's name; `"leaf"` for parameters and tracked inputs, `"freed"` once backward has passed.
    pub fn op(&self) -> &'static str {
        self.0
            .recorded(false, |recorded| recorded.rule().map_or("leaf", Rule::name))
            .unwrap_or("freed")
    }

    /// The tracked operands, in order. Operands that need no gradient have no node.
    pub fn parents(&self) -> Vec<NodeView<E>> {
        let views = |recorded: &dyn Recorded<E>| {
            let parents = recorded.parents().iter().flatten();
            parents.map(NodeView::new).collect()
        };
        self.0.recorded(false, views).unwrap_or_default()
    }

    /// The gradient that backward has left at the node, in row-major order; leaves keep it, and results after
    /// [`retain_grad`](crate::Tensor::retain_grad).
    pub fn grad(&self) -> Option<Vec<E>> {
        self.0.grad().map(|grad| grad.to_vec())
    }

    /// What the operation saved; empty once backward has freed it.
    pub fn saved(&self) -> Vec<SavedView> {
        let mut fields = Vec::new();
        self.0.recorded(false, |recorded| {
            if let Some(rule) = recorded.rule() {
                rule.saved(&mut |name, saved| fields.push(SavedView::of(name, saved)));
            }
        });
        fields
    }
}

impl SavedView {
    fn of<E: Element>(name: &'static str, saved: Saved<'_, E>) -> Self {
        let number = |value: &E| value.to_f64().unwrap_or(f64::NAN);
        let (values, bytes) = match saved {
            Saved::Values(values) => (values.iter().map(number).collect(), size_of_val(&**values)),
            Saved::Positions(at) => (at.iter().map(|&i| i as f64).collect(), size_of_val(&**at)),
            Saved::Flags(flags) => (flags.iter().map(|&f| f64::from(f)).collect(), flags.len()),
            Saved::Number(value) => (vec![value], size_of::<E>()),
        };
        SavedView {
            name,
            values,
            bytes,
        }
    }
}

impl<E: Element> fmt::Debug for NodeView<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeView")
            .field("id", &self.id())
            .field("op", &self.op())
            .field("dims", &self.dims())
            .finish()
    }
}
