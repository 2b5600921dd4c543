//! All first derivatives of a function at once, or all second ones, as tensors.

use super::forward::{duals, hvp_at, jvp_at, values_of};
use super::functional::{Inputs, collected, fresh, gradients_of, id_of};
use crate::dual::Dual;
use crate::element::Element;
use crate::graph::{Reach, recording};
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
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D F;
    A B C D F G;
    A B C D F G H;
    A B C D F G H I;
}

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
    let mut rows = rows_of(&output.raw, &leaves).into_iter().map(Raw::input);
    S::jacobian(&mut || rows.next().expect("one for each input"))
}

/// The Jacobian of `function` at `inputs`, by forward mode. JAX: `jacfwd`; PyTorch: `func.jacfwd`.
///
/// The same as [`jacrev`], which describes it, by one pass forward for each number of the inputs, without a graph: the
/// better way where the inputs have fewer numbers than the result. The function is called with
/// [dual numbers](crate::dual), so it is written for any [`Element`].
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
        vec![jvp_at(&function, inputs).1.raw.values]
    });
    let mut blocks = columns.remove(0).into_iter().map(Raw::input);
    S::jacobian(&mut || blocks.next().expect("one for each input"))
}

/// The Hessian of `loss` at `inputs`: its second derivatives by each two numbers of the inputs. JAX: `hessian`;
/// PyTorch: `func.hessian`, `autograd.functional.hessian`.
///
/// An input of shape `In` has a Hessian with the axes of `In` twice. Several inputs have a tuple of rows, one for each
/// input, and each a tuple of tensors: the axes of the row's input, then those of the other. Parameters that the
/// function captures take part as constants.
///
/// One gradient of dual numbers, forward and backward, for each number of the inputs, by [`hvp`](super::hvp); use that
/// itself where products with a direction are enough.
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
    let mut blocks = blocks.into_iter().flatten().map(Raw::input);
    I::hessian(&mut || blocks.next().expect("one for each pair of inputs"))
}

/// The gradient of each number of the output by each leaf, a row for each number.
fn rows_of<E: Element>(output: &Raw<E>, leaves: &[Raw<E>]) -> Vec<Buffer<E>> {
    let len = output.values.len();
    let ids: Vec<_> = leaves.iter().map(id_of).collect();
    let zeros = |leaf: &Raw<E>| Buffer::filled(len * leaf.values.len(), E::zero());
    let mut rows: Vec<_> = leaves.iter().map(zeros).collect();
    for i in 0..len {
        let mut seed = Buffer::filled(len, E::zero());
        seed.make_mut()[i] = E::one();
        let grads = gradients_of(output, seed, &ids, Reach::Through);
        for (rows, grad) in rows.iter_mut().zip(grads) {
            if let Some(grad) = grad {
                let width = grad.len();
                rows.make_mut()[i * width..][..width].copy_from_slice(&grad);
            }
        }
    }
    rows
}

/// What `tangents` of results of these sizes come of each number of each input, a column for each number; by result,
/// then by input.
fn columns_of<E: Element>(
    inputs: &[Buffer<E>],
    results: &[Dims],
    tangents: &mut dyn FnMut(Vec<Buffer<Dual<E>>>) -> Vec<Buffer<E>>,
) -> Vec<Vec<Buffer<E>>> {
    let zeros = |len| Buffer::filled(len, E::zero());
    let still: Vec<_> = inputs.iter().map(|input| zeros(input.len())).collect();
    let start = duals(inputs, &still);
    let block = |of: &Dims, by: &Buffer<E>| zeros(of.iter().product::<usize>() * by.len());
    let mut columns: Vec<Vec<_>> = results
        .iter()
        .map(|of| inputs.iter().map(|by| block(of, by)).collect())
        .collect();
    for (by, input) in inputs.iter().enumerate() {
        for place in 0..input.len() {
            let mut moved = start.clone();
            moved[by].make_mut()[place].tangent = E::one();
            for (row, column) in columns.iter_mut().zip(tangents(moved)) {
                let to = row[by].make_mut().iter_mut().skip(place);
                for (to, &from) in to.step_by(input.len()).zip(&*column) {
                    *to = from;
                }
            }
        }
    }
    columns
}
