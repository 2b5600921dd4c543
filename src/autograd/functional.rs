//! Gradients with respect to tensors that are named.

use crate::dual::Dual;
use crate::element::Element;
use crate::graph::{Node, Reach, level, recording};
use crate::ops::Engine;
use crate::ops::examples::{at_depth, dims_of_marked, seed_of};
use crate::shape::{Dims, Shape};
use crate::storage::Buffer;
use crate::tensor::{Param, Raw, Tensor};
use num_traits::One;
use std::error::Error;
use std::fmt;

/// Tensors that gradients are taken with respect to: a reference to one, or a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "gradients are not taken with respect to a `{Self}`",
    label = "not a reference to a tensor or parameter, nor a tuple of them",
    note = "write `&x`, or `(&x, &w, &b)` for up to eight tensors and parameters"
)]
pub trait Inputs {
    /// Their elements.
    type Element: Element;
    /// A tensor of the same type for each, by value.
    type Tensors: Tensors<Element = Self::Element>;
    /// The same of dual numbers.
    type Duals: Tensors<Element = Dual<Self::Element>>;

    #[doc(hidden)]
    fn raws<'a>(&'a self, visit: &mut dyn FnMut(&'a Raw<Self::Element>, Dims));
}

/// A tensor, or a tuple of up to eight: what gradients come back as.
pub trait Tensors: Sized + 'static {
    /// Their elements.
    type Element: Element;

    #[doc(hidden)]
    fn collect(next: &mut dyn FnMut() -> Raw<Self::Element>) -> Self;
    #[doc(hidden)]
    fn each(self, visit: &mut dyn FnMut(Raw<Self::Element>));
}

impl<const R: usize, S: Shape<R>, E: Element> Tensors for Tensor<R, S, E> {
    type Element = E;

    fn each(self, visit: &mut dyn FnMut(Raw<E>)) {
        visit(self.raw);
    }

    fn collect(next: &mut dyn FnMut() -> Raw<E>) -> Self {
        Tensor::from_raw(next())
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Inputs for &Tensor<R, S, E> {
    type Element = E;
    type Tensors = Tensor<R, S, E>;
    type Duals = Tensor<R, S, Dual<E>>;

    fn raws<'a>(&'a self, visit: &mut dyn FnMut(&'a Raw<E>, Dims)) {
        visit(&self.raw, S::DIMS);
    }
}

impl<const R: usize, S: Shape<R>, E: Element> Inputs for &Param<R, S, E> {
    type Element = E;
    type Tensors = Tensor<R, S, E>;
    type Duals = Tensor<R, S, Dual<E>>;

    fn raws<'a>(&'a self, visit: &mut dyn FnMut(&'a Raw<E>, Dims)) {
        visit(&self.raw, S::DIMS);
    }
}

macro_rules! tuples {
    ($($First:ident $($I:ident)*;)*) => {$(
        impl<$First: Inputs $(, $I: Inputs<Element = $First::Element>)*> Inputs for ($First, $($I,)*) {
            type Element = $First::Element;
            type Tensors = ($First::Tensors, $($I::Tensors,)*);
            type Duals = ($First::Duals, $($I::Duals,)*);

            #[allow(non_snake_case)]
            fn raws<'a>(&'a self, visit: &mut dyn FnMut(&'a Raw<Self::Element>, Dims)) {
                let ($First, $($I,)*) = self;
                $First.raws(visit);
                $($I.raws(visit);)*
            }
        }

        impl<$First: Tensors $(, $I: Tensors<Element = $First::Element>)*> Tensors for ($First, $($I,)*) {
            type Element = $First::Element;

            fn collect(next: &mut dyn FnMut() -> Raw<Self::Element>) -> Self {
                ($First::collect(next), $($I::collect(next),)*)
            }
            #[allow(non_snake_case)]
            fn each(self, visit: &mut dyn FnMut(Raw<Self::Element>)) {
                let ($First, $($I,)*) = self;
                $First.each(visit);
                $($I.each(visit);)*
            }
        }
    )*};
}
each_tuple! { tuples }

/// A tensor among the inputs that the result does not depend on.
#[derive(Clone, PartialEq, Eq)]
pub struct UnusedInput {
    place: usize,
    tracked: bool,
}

crate::error::debug_says_the_same! { UnusedInput }

impl UnusedInput {
    /// Its place among the inputs, from 0.
    pub fn place(&self) -> usize {
        self.place
    }
}

impl fmt::Display for UnusedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place;
        if self.tracked {
            write!(f, "the result does not depend on input {place}")
        } else {
            write!(
                f,
                "input {place} is not tracked, so nothing knows how the result depends on it: make it a \
                 `Param`, or call `tracked()` before it is used"
            )
        }
    }
}

impl Error for UnusedInput {}

/// The gradients of `loss` with respect to each of `inputs`, as a tuple of tensors with the inputs' types.
/// PyTorch: `autograd.grad`.
///
/// Inputs may be leaves or results on the way to the loss. No tensor's own [`grad`](Tensor::grad) changes, only the
/// part of the graph between the loss and the inputs is walked, and the graph stays: it goes when its last tensor
/// does. Hooks on the way run.
///
/// The gradients are plain data, of which nothing is recorded: there is no `create_graph`. Second derivatives come from
/// [`hvp`](super::hvp) and [`hessian`](super::hessian()).
///
/// # Panics
/// If the loss does not depend on one of the inputs ([`try_grad`] returns that as an error), or if an earlier
/// backward has freed a part of the graph.
///
/// ```
/// use shapeproof::autograd::grad;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 2.0]).tracked();
/// let hidden = x.square();
/// let loss = (&hidden * 3.0).sum();
/// let (dx, dh) = grad(&loss, (&x, &hidden));
/// assert_eq!((dx.to_array(), dh.to_array()), ([6.0, 12.0], [3.0, 3.0]));
/// ```
#[track_caller]
pub fn grad<I: Inputs>(loss: &Tensor<0, (), I::Element>, inputs: I) -> I::Tensors {
    match try_grad(loss, inputs) {
        Ok(grads) => grads,
        Err(error) => panic!("no gradient: {error}"),
    }
}

/// [`grad`], with an error for an input that the loss does not depend on.
///
/// # Errors
/// If the loss does not depend on an input; the first one is named.
///
/// # Panics
/// If an earlier backward has freed a part of the graph.
///
/// ```
/// use shapeproof::autograd::try_grad;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::scalar(3.0f32).tracked();
/// let y = Tensor::scalar(4.0f32).tracked();
/// let error = try_grad(&x.square(), (&x, &y)).unwrap_err();
/// assert_eq!(error.to_string(), "the result does not depend on input 1");
/// ```
#[track_caller]
pub fn try_grad<I: Inputs>(
    loss: &Tensor<0, (), I::Element>,
    inputs: I,
) -> Result<I::Tensors, UnusedInput> {
    required(&loss.raw, seed_of(&loss.raw, None), &inputs)
}

/// The gradients with respect to each of `inputs` where `seed` is that of `output`: the product of `seed` and
/// the Jacobian. As [`grad`] otherwise.
///
/// # Panics
/// As [`grad`].
///
/// ```
/// use shapeproof::autograd::grad_with;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 2.0]).tracked();
/// let dx = grad_with(&x.square(), &Tensor::from([1.0, 10.0]), &x);
/// assert_eq!(dx.to_array(), [2.0, 40.0]);
/// ```
#[track_caller]
pub fn grad_with<const R: usize, S: Shape<R>, I: Inputs>(
    output: &Tensor<R, S, I::Element>,
    seed: &Tensor<R, S, I::Element>,
    inputs: I,
) -> I::Tensors {
    match required(&output.raw, seed_of(&output.raw, Some(&seed.raw)), &inputs) {
        Ok(grads) => grads,
        Err(error) => panic!("no gradient: {error}"),
    }
}

/// The value of `loss` at `inputs`, and its gradients there. JAX: `value_and_grad`.
///
/// The function receives tensors of its own with the inputs' values, so nothing outside is recorded or changed,
/// and inputs need not be tracked. The gradient with respect to an input that it does not use is zero.
///
/// ```
/// use shapeproof::autograd::value_and_grad;
/// use shapeproof::prelude::*;
///
/// let x = Tensor::from([1.0f32, 2.0]);
/// let w = Tensor::from([3.0f32, 4.0]);
/// let (loss, (dx, dw)) = value_and_grad(|(x, w)| (x * w).sum(), (&x, &w));
/// assert_eq!(loss.item(), 11.0);
/// assert_eq!((dx, dw), (w, x));
/// ```
pub fn value_and_grad<I: Inputs>(
    loss: impl FnOnce(I::Tensors) -> Tensor<0, (), I::Element>,
    inputs: I,
) -> (Tensor<0, (), I::Element>, I::Tensors) {
    let (value, pullback) = vjp(loss, inputs);
    let grads = pullback(&Tensor::scalar(I::Element::one()));
    (value, grads)
}

/// The value of `function` at `inputs`, and its pullback there: what turns a gradient of the value into those of
/// the inputs. JAX: `vjp`.
///
/// The function receives tensors of its own, as [`value_and_grad`] describes. The pullback may be called any number
/// of times.
///
/// ```
/// use shapeproof::autograd::vjp;
/// use shapeproof::prelude::*;
///
/// let (y, pullback) = vjp(|x: Tensor<1, shape![2]>| x.square(), &Tensor::from([1.0f32, 2.0]));
/// assert_eq!(y.to_array(), [1.0, 4.0]);
/// assert_eq!(pullback(&Tensor::from([1.0, 0.0])).to_array(), [2.0, 0.0]);
/// assert_eq!(pullback(&Tensor::from([0.0, 1.0])).to_array(), [0.0, 4.0]);
/// ```
#[allow(clippy::type_complexity)] // a pair of a tensor and a function
pub fn vjp<I: Inputs, const R: usize, S: Shape<R>>(
    function: impl FnOnce(I::Tensors) -> Tensor<R, S, I::Element>,
    inputs: I,
) -> (
    Tensor<R, S, I::Element>,
    Pullback<R, S, I::Element, I::Tensors>,
) {
    let leaves = fresh(&inputs);
    let output = recording(|| function(collected(leaves.iter().cloned())));
    (output.detach(), pullback(output, leaves))
}

/// What turns a gradient of a function's value into those of its inputs.
pub type Pullback<const R: usize, S, E, T> = Box<dyn Fn(&Tensor<R, S, E>) -> T + Send + Sync>;

pub(super) fn pullback<const R: usize, S: Shape<R>, E: Element, T: Tensors<Element = E>>(
    output: Tensor<R, S, E>,
    leaves: Vec<Raw<E>>,
) -> Pullback<R, S, E, T> {
    Box::new(move |seed| {
        let ids: Vec<_> = leaves.iter().map(id_of).collect();
        let seed = seed_of(&output.raw, Some(&seed.raw));
        let found = gradients_of(&output.raw, seed, &ids, Reach::Through);
        let grads = leaves.iter().zip(found);
        collected(grads.map(|(leaf, grad)| grad_at(leaf, grad)))
    })
}

/// One tensor for each of the iterator's.
pub(super) fn collected<T: Tensors>(raws: impl IntoIterator<Item = Raw<T::Element>>) -> T {
    let mut raws = raws.into_iter();
    T::collect(&mut || raws.next().expect("one for each input"))
}

/// New leaves with the values of the inputs. While a function is mapped, each example has a gradient of its own with
/// respect to them.
pub(super) fn fresh<I: Inputs>(inputs: &I) -> Vec<Raw<I::Element>> {
    let mut leaves = Vec::new();
    inputs.raws(&mut |raw, dims| {
        let (depth, mark) = (level::depth(), raw.values.mark());
        let values = if mark.is_none() && depth > 0 {
            let mark = level::mark_at(depth).repeated();
            raw.values.clone().marked(mark)
        } else {
            at_depth(&raw.detached(), depth).values
        };
        let dims = dims_of_marked(dims, values.mark());
        let node = Some(Node::leaf(dims));
        leaves.push(Raw { values, node });
    });
    leaves
}

/// The gradient that was found at a leaf; zero if there was none.
pub(super) fn grad_at<E: Element>(leaf: &Raw<E>, found: Option<Buffer<E>>) -> Raw<E> {
    let numel = leaf.node.as_ref().map_or(0, |node| node.numel());
    let grad = found.unwrap_or_else(|| Buffer::filled(numel, E::zero()));
    Raw::input(grad.marked(leaf.values.mark().each()))
}

/// The gradients of all inputs, or the first one that has none.
#[track_caller]
fn required<I: Inputs>(
    output: &Raw<I::Element>,
    seed: Buffer<I::Element>,
    inputs: &I,
) -> Result<I::Tensors, UnusedInput> {
    let raws = raws_of(inputs);
    let depth = output.values.mark().depth();
    for (place, raw) in raws.iter().enumerate() {
        assert!(
            raw.node.is_none() || raw.values.mark().depth() == depth,
            "no gradient: input {place} is shared by the examples that `vmap` runs at once, and each of them has a \
             gradient of its own: `value_and_grad` and `vjp` compute these"
        );
    }
    let ids: Vec<_> = raws.iter().map(|raw| id_of(raw)).collect();
    let found = gradients_of(output, seed, &ids, Reach::Through);
    for (place, (raw, grad)) in raws.iter().zip(&found).enumerate() {
        if grad.is_none() {
            let tracked = raw.node.is_some();
            return Err(UnusedInput { place, tracked });
        }
    }
    let grads = raws.iter().zip(found);
    Ok(collected(grads.map(|(raw, grad)| grad_at(raw, grad))))
}

/// The inputs without their types.
pub(super) fn raws_of<I: Inputs>(inputs: &I) -> Vec<&Raw<I::Element>> {
    let mut raws = Vec::new();
    inputs.raws(&mut |raw, _| raws.push(raw));
    raws
}

/// The number of a tensor's node.
pub(super) fn id_of<E: Element>(raw: &Raw<E>) -> Option<u64> {
    raw.node.as_ref().map(|node| node.id())
}

/// The gradient of each node; `None` where there is none, or the output does not depend on it.
#[track_caller]
pub(super) fn gradients_of<E: Element>(
    output: &Raw<E>,
    seed: Buffer<E>,
    ids: &[Option<u64>],
    reach: Reach,
) -> Vec<Option<Buffer<E>>> {
    let Some(root) = &output.node else {
        return vec![None; ids.len()];
    };
    let targets: Vec<_> = ids.iter().copied().flatten().collect();
    let mut found = match <E::Ops as Engine<E>>::gradients(root, seed, &targets, reach) {
        Ok(found) => found.into_iter(),
        Err(freed) => freed.refuse(),
    };
    ids.iter()
        .map(|id| id.and_then(|_| found.next().flatten()))
        .collect()
}
