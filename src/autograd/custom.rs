//! Operations of the user's own: forward and backward by hand, one node in the graph.

use super::functional::{Inputs, Tensors, collected, raws_of};
use crate::element::Element;
use crate::graph::level::Levels;
use crate::graph::{Cotangents, Rule, Saved, no_grad, record_list};
use crate::ops::examples::{dims_of_marked, grad_of};
use crate::shape::{AnyShape, Shape};
use crate::storage::{Buffer, Mark};
use crate::tensor::{Part, Raw, Tensor};

/// An operation with a backward of its own. PyTorch: `autograd.Function`.
///
/// Implement it where a formula for the gradient is faster, or more accurate, than what the graph would do step by
/// step, or where a result has no derivative and another one is to stand in. [`apply`] runs it; the graph sees one
/// node. Both halves work on plain data and are never recorded themselves.
///
/// `backward` returns a gradient for each input, with the input's type: one that is forgotten, or has another shape,
/// does not compile.
///
/// ```
/// use shapeproof::autograd::{Fields, Function, apply};
/// use shapeproof::prelude::*;
///
/// /// Rounds, and lets the gradient through as if it had not.
/// struct StraightThrough;
///
/// impl Function for StraightThrough {
///     const NAME: &'static str = "straight_through";
///     type Inputs = Tensor<1, shape![3]>;
///     type Output = Tensor<1, shape![3]>;
///     type Saved = ();
///
///     fn forward(&self, x: Tensor<1, shape![3]>) -> (Tensor<1, shape![3]>, ()) {
///         (x.round(), ())
///     }
///     fn backward(&self, (): &(), grad: Tensor<1, shape![3]>) -> Tensor<1, shape![3]> {
///         grad
///     }
/// }
///
/// let x = Tensor::from([0.2, 0.7, 1.6]).tracked();
/// let y = apply(StraightThrough, &x);
/// assert_eq!(y.to_array(), [0.0, 1.0, 2.0]);
/// y.square().sum().backward();
/// assert_eq!(x.grad().unwrap().to_array(), [0.0, 2.0, 4.0]);
/// ```
pub trait Function: Send + Sync + 'static {
    /// The name in the graph.
    const NAME: &'static str;
    /// A tensor, or a tuple of up to eight.
    type Inputs: Tensors;
    /// A tensor.
    type Output: Tensors<Element = <Self::Inputs as Tensors>::Element>
        + Part<Element = <Self::Inputs as Tensors>::Element>;
    /// What backward needs of forward.
    type Saved: Send + Sync + 'static;

    /// The result, and what backward needs.
    fn forward(&self, inputs: Self::Inputs) -> (Self::Output, Self::Saved);

    /// The gradients of some loss with respect to each input, from the one with respect to the result.
    fn backward(&self, saved: &Self::Saved, grad: Self::Output) -> Self::Inputs;

    /// Shows what was saved to whoever inspects the graph; nothing, unless it is written.
    fn fields(&self, _saved: &Self::Saved, _fields: &mut FieldsOf<'_, Self>) {}
}

/// The fields of a [`Function`].
pub type FieldsOf<'a, F> = Fields<'a, <<F as Function>::Inputs as Tensors>::Element>;

/// Where a [`Function`] shows what it has saved.
pub struct Fields<'a, E: Element> {
    visit: &'a mut dyn FnMut(&'static str, Saved<'_, E>),
}

impl<E: Element> Fields<'_, E> {
    /// Shows a tensor.
    pub fn tensor<const R: usize, S: Shape<R>>(
        &mut self,
        name: &'static str,
        value: &Tensor<R, S, E>,
    ) {
        (self.visit)(name, Saved::Values(&value.raw.values));
    }

    /// Shows a number.
    pub fn number(&mut self, name: &'static str, value: f64) {
        (self.visit)(name, Saved::Number(value));
    }
}

struct FunctionRule<F: Function> {
    function: F,
    saved: F::Saved,
    /// What the inputs and the output belong to.
    inputs: Vec<Mark>,
    output: Mark,
    levels: Levels,
}

impl<F: Function, E: Element> Rule<E> for FunctionRule<F>
where
    F::Inputs: Tensors<Element = E>,
    F::Output: Tensors<Element = E>,
{
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        self.levels.within(|| {
            let grad = collected([Raw::input(grad.marked(self.output))]);
            let grads = no_grad(|| self.function.backward(&self.saved, grad));
            let mut marks = self.inputs.iter().enumerate();
            grads.each(&mut |raw| {
                if let Some((i, &mark)) = marks.next() {
                    to.give(i, grad_of(&raw.values, mark));
                }
            });
        });
    }

    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        self.function.fields(&self.saved, &mut Fields { visit });
    }
}

/// Applies an operation of one's own to its inputs, and records it as one node where an input is tracked.
///
/// See [`Function`].
pub fn apply<F, I, E>(function: F, inputs: I) -> F::Output
where
    F: Function<Inputs = I::Tensors>,
    I: Inputs<Element = E>,
    F::Output: Tensors<Element = E> + Part<Element = E>,
    E: Element,
{
    let raws = raws_of(&inputs);
    let plain = raws.iter().map(|raw| Raw::input(raw.values.clone()));
    let (output, saved) = no_grad(|| function.forward(collected(plain)));
    let values = output.raw().values.clone();
    let mark = values.mark();
    let node = record_list(
        raws.iter().map(|raw| raw.node.as_ref()),
        dims_of_marked(<F::Output as Part>::Shape::DIMS, mark),
        || FunctionRule {
            function,
            saved,
            inputs: raws.iter().map(|raw| raw.values.mark()).collect(),
            output: mark.each(),
            levels: Levels::now(),
        },
    );
    let result = Raw { values, node }.examined(<F::Output as Part>::Shape::DIMS);
    collected([result])
}
