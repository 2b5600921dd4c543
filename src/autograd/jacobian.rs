//! All first derivatives of a function at once, or all second ones, as tensors.

use super::forward::{hvp_at, jvp_at, values_of};
use super::functional::{Inputs, collected, fresh, gradients_of, id_of};
use crate::dual::Dual;
use crate::element::Element;
use crate::graph::level::{self, enter, mark_at};
use crate::graph::{Reach, recording};
use crate::ops::examples::values_at_depth;
use crate::shape::{AnyShape, AppendAll, Dims, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Param, Raw, Tensor, wrap};

/// A shape of results that have a Jacobian with respect to the inputs `I`.
///
/// That by one input of shape `In` is a tensor with the axes of this shape and then those of `In`. Several inputs have
/// a tuple of such.
#[diagnostic::on_unimplemented(
    message = "the Jacobian of a result of shape `{Self}` by `{I}` would have more than 6 axes",
    label = "no room for the axes of both",
    note = "shapes have at most 6 axes, and a Jacobian has those of the result, then those of the input: flatten one of them"
)]
pub trait Jacobians<I: Inputs> {
    /// The Jacobian, or a tuple of them.
    type Jacobian;

    #[doc(hidden)]
    fn jacobian(next: &mut dyn FnMut() -> Raw<I::Element>) -> Self::Jacobian;
}

/// A reference to one tensor or parameter.
pub trait OneInput: Inputs {
    /// Its shape.
    type Shape: AnyShape;
}

/// Inputs with respect to which a number has a Hessian.
///
/// That of one input of shape `In` is a tensor with the axes of `In` twice. Several inputs have a tuple of rows: a
/// row for each input, with a tensor for each.
pub trait Hessians: Inputs {
    /// The Hessian, or a tuple of tuples of its blocks.
    type Hessian;

    #[doc(hidden)]
    fn hessian(next: &mut dyn FnMut() -> Raw<Self::Element>) -> Self::Hessian;
}

macro_rules! one {
    ($($Input:ident)*) => {$(
        impl<const R: usize, S: Shape<R>, E: Element> OneInput for &$Input<R, S, E> {
            type Shape = S;
        }

        impl<Out, const R: usize, S: Shape<R>, E: Element> Jacobians<&$Input<R, S, E>> for Out
        where
            Out: AppendAll<S>,
        {
            type Jacobian = TensorOf<Out::Output, E>;

            fn jacobian(next: &mut dyn FnMut() -> Raw<E>) -> Self::Jacobian {
                wrap::<Out::Output, E>(next())
            }
        }

        impl<const R: usize, S: Shape<R> + AppendAll<S>, E: Element> Hessians for &$Input<R, S, E> {
            type Hessian = TensorOf<<S as AppendAll<S>>::Output, E>;

            fn hessian(next: &mut dyn FnMut() -> Raw<E>) -> Self::Hessian {
                wrap::<<S as AppendAll<S>>::Output, E>(next())
            }
        }
    )*};
}
one! { Tensor Param }

macro_rules! tuples {
    ($($First:ident $($I:ident)*;)*) => {$(
        impl<Out, $First: Inputs $(, $I: Inputs<Element = $First::Element>)*> Jacobians<($First, $($I,)*)> for Out
        where
            Out: Jacobians<$First> $(+ Jacobians<$I>)*,
        {
            type Jacobian = (
                <Out as Jacobians<$First>>::Jacobian,
                $(<Out as Jacobians<$I>>::Jacobian,)*
            );

            fn jacobian(next: &mut dyn FnMut() -> Raw<$First::Element>) -> Self::Jacobian {
                (
                    <Out as Jacobians<$First>>::jacobian(next),
                    $(<Out as Jacobians<$I>>::jacobian(next),)*
                )
            }
        }

        impl<$First: OneInput $(, $I: OneInput<Element = $First::Element>)*> Hessians for ($First, $($I,)*)
        where
            Self: Inputs<Element = $First::Element>,
            $First::Shape: Jacobians<Self>,
            $($I::Shape: Jacobians<Self>,)*
        {
            type Hessian = (
                <$First::Shape as Jacobians<Self>>::Jacobian,
                $(<$I::Shape as Jacobians<Self>>::Jacobian,)*
            );

            fn hessian(next: &mut dyn FnMut() -> Raw<Self::Element>) -> Self::Hessian {
                (
                    <$First::Shape as Jacobians<Self>>::jacobian(next),
                    $(<$I::Shape as Jacobians<Self>>::jacobian(next),)*
                )
            }
        }
    )*};
}
each_tuple! { tuples }

// The results below are parameters, so that an input with too many axes is one error and not two: that of the bound,
// and not also that of a signature with a type that does not exist.

/// The Jacobian of `function` at `inputs`, by reverse mode: how each number of the result changes with each number
/// of the inputs. JAX: `jacrev`; PyTorch: `func.jacrev`, `autograd.functional.jacobian`.
///
/// A result of shape `Out` has, for an input of shape `In`, a Jacobian with the axes of `Out` and then those of `In`;
/// for a tuple of inputs, a tuple of such. The function runs once, and one pass goes back for each number of the
/// result: the better way where the result has fewer numbers than the inputs, and [`jacfwd`] where it has more.
///
/// The function receives tensors of its own with the inputs' values, so nothing outside is recorded or changed, and
/// inputs need not be tracked; parameters that it captures take part as constants. It may be called with dual
/// numbers, so Jacobians nest.
///
/// ```
/// use shapeproof::autograd::jacrev;
/// use shapeproof::prelude::*;
///
/// let (w, x) = (Tensor::from([[1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor::from([1.0, 2.0, 3.0]));
/// let by_x: Tensor<2, shape![2, 3], f64> = jacrev(|x| w.matmul(&x), &x);
/// assert_eq!(by_x, w);
/// let by_both: (Tensor<3, shape![2, 2, 3], f64>, _) = jacrev(|(w, x)| w.matmul(&x), (&w, &x));
/// assert_eq!(by_both.0.to_array(), [[[1.0, 2.0, 3.0], [0.0; 3]], [[0.0; 3], [1.0, 2.0, 3.0]]]);
/// assert_eq!(by_both.1, w);
/// ```
pub fn jacrev<I: Inputs, const R: usize, S: Shape<R> + Jacobians<I, Jacobian = J>, J>(
    function: impl FnOnce(I::Tensors) -> Tensor<R, S, I::Element>,
    inputs: I,
) -> J {
    let leaves = fresh(&inputs);
    let output = recording(|| function(collected(leaves.iter().cloned())));
    let mut rows = rows_of(&output.raw, S::NUMEL, &leaves).into_iter();
    S::jacobian(&mut || rows.next().expect("one for each input"))
}

/// The Jacobian of `function` at `inputs`, by forward mode. JAX: `jacfwd`; PyTorch: `func.jacfwd`.
///
/// The same as [`jacrev`], which describes it, by one pass forward for each number of the inputs, without a graph: the
/// better way where the inputs have fewer numbers than the result. The function is called with
/// [dual numbers](crate::dual), so it is written for any [`Element`], and [mapped](super::vmap) over many passes at a
/// time, so it cannot look at values.
///
/// ```
/// use shapeproof::autograd::jacfwd;
/// use shapeproof::prelude::*;
///
/// fn polar<E: Element>(x: &Tensor<1, shape![2], E>) -> Tensor<1, shape![2], E> {
///     let (r, angle) = (x.select::<0, 0>(), x.select::<0, 1>());
///     (&r * angle.cos(), &r * angle.sin()).stack::<0>()
/// }
/// let jacobian = jacfwd(|x| polar(&x), &Tensor::from([2.0f64, 0.0]));
/// assert_eq!(jacobian.to_array(), [[1.0, 0.0], [0.0, 2.0]]);
/// ```
pub fn jacfwd<I: Inputs, const R: usize, S: Shape<R> + Jacobians<I, Jacobian = J>, J>(
    function: impl Fn(I::Duals) -> Tensor<R, S, Dual<I::Element>>,
    inputs: I,
) -> J {
    let mut columns = columns_of(&values_of(&inputs), &[S::DIMS], &mut |inputs| {
        vec![jvp_at(&function, inputs).1.raw]
    });
    let mut blocks = columns.remove(0).into_iter();
    S::jacobian(&mut || blocks.next().expect("one for each input"))
}

/// The Hessian of `loss` at `inputs`: its second derivatives by each two numbers of the inputs. JAX: `hessian`;
/// PyTorch: `func.hessian`, `autograd.functional.hessian`.
///
/// An input of shape `In` has a Hessian with the axes of `In` twice. Several inputs have a tuple of rows, one for each
/// input, and each a tuple of tensors: the axes of the row's input, then those of the other. Parameters that the
/// function captures take part as constants.
///
/// One gradient of dual numbers, forward and backward, for each number of the inputs, by [`hvp`](super::hvp)
/// [mapped](super::vmap) over many of them at a time; use `hvp` itself where products with a direction are enough.
///
/// ```
/// use shapeproof::autograd::hessian;
/// use shapeproof::prelude::*;
///
/// fn loss<E: Element>(x: &Tensor<1, shape![2], E>) -> Tensor<0, (), E> {
///     let (a, b) = (x.select::<0, 0>(), x.select::<0, 1>());
///     a.square() * b
/// }
/// let second = hessian(|x| loss(&x), &Tensor::from([3.0f64, 5.0]));
/// assert_eq!(second.to_array(), [[10.0, 6.0], [6.0, 0.0]]);
/// ```
pub fn hessian<I: Hessians<Hessian = H>, H>(
    loss: impl Fn(I::Duals) -> Tensor<0, (), Dual<I::Element>>,
    inputs: I,
) -> H {
    let mut dims = Vec::new();
    inputs.raws(&mut |_, of| dims.push(of));
    let blocks = columns_of(&values_of(&inputs), &dims, &mut |inputs| {
        hvp_at(&loss, inputs, &dims).1
    });
    let mut blocks = blocks.into_iter().flatten();
    I::hessian(&mut || blocks.next().expect("one for each pair of inputs"))
}

/// The gradient of each of `len` numbers of the output by each leaf, a row for each number.
fn rows_of<E: Element>(output: &Raw<E>, len: usize, leaves: &[Raw<E>]) -> Vec<Raw<E>> {
    let ids: Vec<_> = leaves.iter().map(id_of).collect();
    let numel = output.node.as_ref().map_or(0, |node| node.numel());
    // All examples' rows at a time, where a function is mapped.
    let marks: Vec<_> = leaves
        .iter()
        .map(|leaf| leaf.values.mark().each())
        .collect();
    let zeros = |leaf: &Raw<E>| {
        let numel = leaf.node.as_ref().map_or(0, |node| node.numel());
        Buffer::filled(len * numel, E::zero())
    };
    let mut rows: Vec<_> = leaves.iter().map(zeros).collect();
    for i in 0..len {
        let mut seed = Buffer::filled(numel, E::zero());
        for of_example in seed.make_mut().chunks_exact_mut(len) {
            of_example[i] = E::one();
        }
        let grads = gradients_of(output, seed, &ids, Reach::Through);
        for ((rows, grad), mark) in rows.iter_mut().zip(grads).zip(&marks) {
            let Some(grad) = grad else { continue };
            let width = grad.len() / mark.copies();
            let to = rows.make_mut().chunks_exact_mut(width.max(1));
            for (to, from) in to.skip(i).step_by(len).zip(grad.chunks_exact(width.max(1))) {
                to.copy_from_slice(from);
            }
        }
    }
    let marked = rows.into_iter().zip(marks);
    marked
        .map(|(rows, mark)| Raw::input(rows.marked(mark)))
        .collect()
}

/// Columns that are computed at once: enough to share the work that does not depend on their number, few enough
/// not to need much memory.
const COLUMNS: usize = 32;

/// What `tangents` of results of these sizes come of each number of each input, a column for each number; by result,
/// then by input.
///
/// The columns are the examples of a map, many at a time.
fn columns_of<E: Element>(
    inputs: &[Buffer<E>],
    results: &[Dims],
    tangents: &mut dyn FnMut(Vec<Buffer<Dual<E>>>) -> Vec<Raw<E>>,
) -> Vec<Vec<Raw<E>>> {
    let depth = level::depth();
    let outer = level::examples(depth);
    let inputs: Vec<_> = inputs
        .iter()
        .map(|input| values_at_depth(input, depth))
        .collect();
    let len = |values: &Buffer<E>| values.len() / outer;
    let numel = |of: &Dims| of.iter().product::<usize>();
    let block = |of: &Dims, by: &Buffer<E>| Buffer::filled(numel(of) * by.len(), E::zero());
    let mut columns: Vec<Vec<_>> = results
        .iter()
        .map(|of| inputs.iter().map(|by| block(of, by)).collect())
        .collect();
    for (by, input) in inputs.iter().enumerate() {
        let all = len(input);
        for start in (0..all).step_by(COLUMNS) {
            let count = COLUMNS.min(all - start);
            let found = enter(count, |mark| {
                let moved = |(i, values): (usize, &Buffer<E>)| {
                    let values = values_at_depth(values, depth + 1);
                    let len = values.len() / (outer * count).max(1);
                    let dual = |k: usize| {
                        let unit = i == by && k % len == start + k / len % count;
                        Dual::new(values[k], if unit { E::one() } else { E::zero() })
                    };
                    Buffer::from_fn(values.len(), dual).marked(mark)
                };
                let moved = inputs.iter().enumerate().map(moved).collect();
                let found = tangents(moved).into_iter();
                found
                    .map(|raw| values_at_depth(&raw.values, depth + 1))
                    .collect::<Vec<_>>()
            });
            for ((row, of), found) in columns.iter_mut().zip(results).zip(found) {
                let (to, numel) = (row[by].make_mut(), numel(of));
                for (k, &value) in found.iter().enumerate() {
                    let (example, column, place) =
                        (k / numel / count, k / numel % count, k % numel);
                    to[(example * numel + place) * all + start + column] = value;
                }
            }
        }
    }
    let marked = |block: Buffer<E>| Raw::input(block.marked(mark_at(depth)));
    columns
        .into_iter()
        .map(|row| row.into_iter().map(marked).collect())
        .collect()
}
