//! A function of one example, run on many at once.

use crate::element::Element;
use crate::graph::level::{self, enter, mark_at};
use crate::ops::examples::{at_depth, values_at_depth};
use crate::shape::{
    AnyShape, AsMany, Axis, IndicesOf, Leading, MaskOf, Prepend, Rank, Shape, TensorOf,
    check_examples,
};
use crate::storage::{Buffer, Mark, Plain};
use crate::tensor::{Indices, Mask, Param, Positions, Raw, Tensor, mask_of, wrap};

/// The results of `function` for each entry along the first axis of `inputs`, along a new first axis. JAX: `vmap`;
/// PyTorch: `func.vmap`.
///
/// The function is written for one example, and its types are those of one example. It is called once, and each
/// operation in it runs on all examples at a time: mapping a product of a matrix and a vector is one product of
/// matrices. Inputs are tensors, parameters, masks and indices, by reference, with equal first axes; or a tuple of up
/// to eight. Results are the same, by value. What the function captures is shared by all examples.
///
/// Gradients flow through: `backward` on a result, or in the function, adds up over the examples at what they share.
/// [`value_and_grad`](super::value_and_grad), [`vjp`](super::vjp), [`jvp`](super::jvp) and [`hvp`](super::hvp) in the
/// function are those of each example. Calls nest. To map over another axis, bring it to the front with
/// [`permute`](crate::Tensor::permute).
///
/// A function that draws random numbers while it is mapped draws others for each example where a mapped tensor is
/// what it is asked for, as in [`dropout`](crate::Tensor::dropout); a tensor of random numbers that it makes is shared.
///
/// # Panics
/// If the function looks at the values of a tensor that stands for many examples, as [`item`](crate::Tensor::item)
/// does: they are not there one by one. Likewise if such a tensor is taken out of the function by other ways than
/// its result, and used.
///
/// ```
/// use shapeproof::autograd::{value_and_grad, vmap};
/// use shapeproof::prelude::*;
///
/// // The gradient of each example's loss, in one pass.
/// let w = Tensor::from([1.0f32, -1.0]);
/// let xs = Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]);
/// let (losses, grads): (Tensor<1, shape![3]>, Tensor<2, shape![3, 2]>) =
///     vmap(|x| value_and_grad(|w| w.dot(&x).square(), &w), &xs);
/// assert_eq!(losses.to_array(), [1.0, 1.0, 4.0]);
/// assert_eq!(grads.to_array(), [[-2.0, -4.0], [-6.0, -8.0], [-20.0, -28.0]]);
/// ```
///
/// Inputs whose numbers of examples differ do not compile, nor an axis of size 0:
///
/// ```compile_fail
/// # use shapeproof::autograd::vmap;
/// # use shapeproof::prelude::*;
/// let (xs, ys) = (Tensor::<2, shape![8, 3]>::ones(), Tensor::<2, shape![7, 3]>::ones());
/// vmap(|(x, y)| x.dot(&y), (&xs, &ys));
/// ```
pub fn vmap<I, N, X, O, Y>(function: impl FnOnce(X) -> O, inputs: I) -> Y
where
    I: Mapped<Examples = N, Example = X>,
    N: Axis,
    O: MappedOutput<N, Stacked = Y>,
{
    const { check_examples::<N>() }
    let depth = level::depth();
    enter(N::SIZE, |mark| {
        let output = function(inputs.example(depth, mark));
        output.stacked(depth)
    })
}

/// What a function can be [mapped](vmap) over: a reference to a tensor, parameter, mask or indices, or a tuple of up
/// to eight, all with the same first axis.
#[diagnostic::on_unimplemented(
    message = "a function is not mapped over a `{Self}`",
    label = "not a reference to something with a first axis, nor a tuple of them",
    note = "write `&x`, or `(&x, &y)` for up to eight tensors, parameters, masks or indices"
)]
pub trait Mapped {
    /// The first axis.
    type Examples: Axis;
    /// The same without its first axis.
    type Example;

    /// All examples, as one that belongs to the level behind this one.
    #[doc(hidden)]
    #[allow(private_interfaces)] // nothing outside can name marks
    fn example(self, depth: usize, mark: Mark) -> Self::Example;
}

/// What a [mapped](vmap) function may return: a tensor, mask or indices, or a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "a mapped function does not return a `{Self}`",
    label = "the results for all examples cannot be put together",
    note = "return a tensor, a mask or indices with at most 5 axes, or a tuple of up to eight of them"
)]
pub trait MappedOutput<N: Axis> {
    /// The same with `N` in front of its axes.
    type Stacked;

    /// The results of all examples, as belonging to the level further out.
    #[doc(hidden)]
    fn stacked(self, depth: usize) -> Self::Stacked;
}

fn example_of<E: Element>(x: &Raw<E>, depth: usize, mark: Mark) -> Raw<E> {
    let all = at_depth(x, depth);
    Raw {
        values: all.values.marked(mark),
        node: all.node,
    }
}

fn stacked_of<E: Element>(x: &Raw<E>, depth: usize) -> Raw<E> {
    let all = at_depth(x, depth + 1);
    Raw {
        values: all.values.marked(mark_at(depth)),
        node: all.node,
    }
}

/// [`example_of`] truth values or indices.
fn example_values<T: Plain>(x: &Buffer<T>, depth: usize, mark: Mark) -> Buffer<T> {
    values_at_depth(x, depth).marked(mark)
}

/// [`stacked_of`] truth values or indices.
fn stacked_values<T: Plain>(x: &Buffer<T>, depth: usize) -> Buffer<T> {
    values_at_depth(x, depth + 1).marked(mark_at(depth))
}

impl<const R: usize, S: Shape<R> + Leading, E: Element> Mapped for &Tensor<R, S, E> {
    type Examples = S::First;
    type Example = TensorOf<S::Rest, E>;

    #[allow(private_interfaces)]
    fn example(self, depth: usize, mark: Mark) -> Self::Example {
        wrap::<S::Rest, E>(example_of(&self.raw, depth, mark))
    }
}

impl<const R: usize, S: Shape<R> + Leading, E: Element> Mapped for &Param<R, S, E> {
    type Examples = S::First;
    type Example = TensorOf<S::Rest, E>;

    #[allow(private_interfaces)]
    fn example(self, depth: usize, mark: Mark) -> Self::Example {
        wrap::<S::Rest, E>(example_of(&self.raw, depth, mark))
    }
}

impl<const R: usize, S: Shape<R> + Leading> Mapped for &Mask<R, S> {
    type Examples = S::First;
    type Example = MaskOf<S::Rest>;

    #[allow(private_interfaces)]
    fn example(self, depth: usize, mark: Mark) -> Self::Example {
        mask_of::<S::Rest>(example_values(&self.flags, depth, mark))
    }
}

impl<const R: usize, S: Shape<R> + Leading, const BOUND: usize> Mapped for &Indices<R, S, BOUND> {
    type Examples = S::First;
    type Example = IndicesOf<S::Rest, BOUND>;

    #[allow(private_interfaces)]
    fn example(self, depth: usize, mark: Mark) -> Self::Example {
        Positions(example_values(&self.values, depth, mark)).into()
    }
}

impl<N: Axis, const R: usize, S, E> MappedOutput<N> for Tensor<R, S, E>
where
    S: AnyShape<Rank = Rank<R>> + Prepend<N>,
    E: Element,
{
    type Stacked = TensorOf<S::Output, E>;

    fn stacked(self, depth: usize) -> Self::Stacked {
        wrap::<S::Output, E>(stacked_of(&self.raw, depth))
    }
}

#[diagnostic::do_not_recommend]
impl<N: Axis, const R: usize, S> MappedOutput<N> for Mask<R, S>
where
    S: AnyShape<Rank = Rank<R>> + Prepend<N>,
{
    type Stacked = MaskOf<S::Output>;

    fn stacked(self, depth: usize) -> Self::Stacked {
        mask_of::<S::Output>(stacked_values(&self.flags, depth))
    }
}

#[diagnostic::do_not_recommend]
impl<N: Axis, const R: usize, S, const BOUND: usize> MappedOutput<N> for Indices<R, S, BOUND>
where
    S: AnyShape<Rank = Rank<R>> + Prepend<N>,
{
    type Stacked = IndicesOf<S::Output, BOUND>;

    fn stacked(self, depth: usize) -> Self::Stacked {
        Positions(stacked_values(&self.values, depth)).into()
    }
}

macro_rules! tuples {
    ($($First:ident $($I:ident)*;)*) => {$(
        impl<$First: Mapped $(, $I: Mapped<Examples: AsMany<$First::Examples>>)*> Mapped for ($First, $($I,)*) {
            type Examples = $First::Examples;
            type Example = ($First::Example, $($I::Example,)*);

            #[allow(private_interfaces, non_snake_case)]
            fn example(self, depth: usize, mark: Mark) -> Self::Example {
                let ($First, $($I,)*) = self;
                ($First.example(depth, mark), $($I.example(depth, mark),)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<N: Axis, $First: MappedOutput<N> $(, $I: MappedOutput<N>)*> MappedOutput<N> for ($First, $($I,)*) {
            type Stacked = ($First::Stacked, $($I::Stacked,)*);

            #[allow(non_snake_case)]
            fn stacked(self, depth: usize) -> Self::Stacked {
                let ($First, $($I,)*) = self;
                ($First.stacked(depth), $($I.stacked(depth),)*)
            }
        }
    )*};
}
each_tuple! { tuples }
