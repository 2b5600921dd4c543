//! Looking at a graph: operations, shapes, what each has saved, and where it came from.

use super::node::{NodeRef, Recorded};
use super::rule::{Rule, Saved};
use crate::element::Element;
use std::collections::HashSet;
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

/// What stands behind a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// A parameter or tracked input, where gradients end up.
    Leaf,
    /// An operation that backward can still pass.
    Intermediate,
    /// An operation that backward has passed: its operands and what it saved are gone.
    Freed,
}

/// How many nodes there are behind a tensor, and what they keep alive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Parameters and tracked inputs.
    pub leaves: usize,
    /// The numbers that these hold.
    pub leaf_numbers: usize,
    /// Operations that backward can still pass.
    pub intermediates: usize,
    /// Operations that it has passed.
    pub freed: usize,
    /// The memory that operations have saved, in bytes. What several of them have saved counts once, also where it is a
    /// leaf's own.
    pub saved_bytes: usize,
}

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
            .recorded(|recorded| recorded.rule().map_or("leaf", Rule::name))
            .unwrap_or("freed")
    }

    /// The tracked operands, in order. Operands that need no gradient have no node.
    pub fn parents(&self) -> Vec<NodeView<E>> {
        let views = |recorded: &dyn Recorded<E>| {
            let parents = recorded.parents().iter().flatten();
            parents.map(NodeView::new).collect()
        };
        self.0.recorded(views).unwrap_or_default()
    }

    /// Whether the node is a leaf, or an operation and still whole.
    ///
    /// ```
    /// # use shapeproof::graph::NodeState;
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::scalar(2.0f32).tracked();
    /// let y = x.square();
    /// assert_eq!(y.node().unwrap().state(), NodeState::Intermediate);
    /// y.backward();
    /// assert_eq!(y.node().unwrap().state(), NodeState::Freed);
    /// assert_eq!(x.node().unwrap().state(), NodeState::Leaf);
    /// ```
    pub fn state(&self) -> NodeState {
        if self.0.is_leaf() {
            NodeState::Leaf
        } else if self.0.recorded(|_| ()).is_some() {
            NodeState::Intermediate
        } else {
            NodeState::Freed
        }
    }

    /// The node and all that it comes from, each once and the oldest first: operands before their results.
    ///
    /// Nothing is reached through what backward has freed.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 2.0]).tracked();
    /// let loss = (&x * &x).exp().sum();
    /// let ops: Vec<_> = loss.node().unwrap().reachable().iter().map(|node| node.op()).collect();
    /// assert_eq!(ops, ["leaf", "mul", "exp", "sum"]);
    /// ```
    pub fn reachable(&self) -> Vec<NodeView<E>> {
        let mut nodes = vec![self.clone()];
        let mut met = HashSet::from([self.id()]);
        let mut next = 0;
        while next < nodes.len() {
            let parents = nodes[next].parents();
            nodes.extend(parents.into_iter().filter(|parent| met.insert(parent.id())));
            next += 1;
        }
        nodes.sort_by_key(NodeView::id);
        nodes
    }

    /// The parameters and tracked inputs that the node comes from, each once and the oldest first.
    ///
    /// [`Parameter::id`](crate::nn::Parameter::id) is the number by which a model knows them.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let model = (Linear::<2, 3>::new(&mut Rng::seed(0)), Tanh, Linear::<3, 1>::new(&mut Rng::seed(0)));
    /// let hidden = model.0.forward(&Tensor::<1, shape![2]>::ones());
    /// let reached: Vec<_> = hidden.node().unwrap().leaves().iter().map(|leaf| leaf.id()).collect();
    /// let mut names = Vec::new();
    /// model.visit("", &mut |name, parameter| {
    ///     if parameter.id().is_some_and(|id| reached.contains(&id)) {
    ///         names.push(name.to_string());
    ///     }
    /// });
    /// assert_eq!(names, ["0.weight", "0.bias"]);
    /// ```
    pub fn leaves(&self) -> Vec<NodeView<E>> {
        let mut nodes = self.reachable();
        nodes.retain(|node| node.state() == NodeState::Leaf);
        nodes
    }

    /// Counts all that the node comes from, the node included.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let w = Param::<2, shape![3, 4]>::ones();
    /// let y = Tensor::<1, shape![3]>::ones().matmul(&w).exp();
    /// let census = y.node().unwrap().census();
    /// assert_eq!((census.leaves, census.leaf_numbers, census.intermediates), (1, 12, 2));
    /// assert_eq!(census.saved_bytes, (3 + 4) * 4); // the left operand of the product, and what `exp` returned
    /// ```
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        let mut met = HashSet::new();
        for node in self.reachable() {
            match node.state() {
                NodeState::Freed => census.freed += 1,
                NodeState::Leaf => {
                    census.leaves += 1;
                    census.leaf_numbers += node.dims().iter().product::<usize>();
                }
                NodeState::Intermediate => {
                    census.intermediates += 1;
                    node.0.recorded(|recorded| {
                        let rule = recorded.rule();
                        rule.inspect(|rule| {
                            rule.saved(&mut |_, saved| {
                                let (start, bytes) = saved.memory();
                                if start.is_none_or(|start| met.insert(start)) {
                                    census.saved_bytes += bytes;
                                }
                            })
                        });
                    });
                }
            }
        }
        census
    }

    /// The gradient that backward has left at the node, in row-major order; leaves keep it, and results after
    /// [`retain_grad`](crate::Tensor::retain_grad).
    pub fn grad(&self) -> Option<Vec<E>> {
        self.0.grad().map(|grad| grad.to_vec())
    }

    /// What the operation saved; empty once backward has freed it.
    pub fn saved(&self) -> Vec<SavedView> {
        let mut fields = Vec::new();
        self.0.recorded(|recorded| {
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
        let (_, bytes) = saved.memory();
        let values = match saved {
            Saved::Values(values) => values.iter().map(number).collect(),
            Saved::Positions(at) => at.iter().map(|&i| i as f64).collect(),
            Saved::Flags(flags) => flags.iter().map(|&f| f64::from(f)).collect(),
            Saved::Number(value) => vec![value],
        };
        SavedView {
            name,
            values,
            bytes,
        }
    }
}

impl<E: Element> Saved<'_, E> {
    /// Where the field lies, if it is shared memory, and its size in bytes.
    fn memory(&self) -> (Option<usize>, usize) {
        fn of<T>(values: &[T]) -> (Option<usize>, usize) {
            (Some(values.as_ptr().addr()), size_of_val(values))
        }
        match self {
            Saved::Values(values) => of(values),
            Saved::Positions(at) => of(at),
            Saved::Flags(flags) => of(flags),
            Saved::Number(_) => (None, size_of::<E>()),
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
