//! Sums of products over named axes.

use super::compiled::compiled;
use crate::element::Element;
use crate::graph::{Cotangents, Rule, Saved, parents};
use crate::kernel::{self, Layouts, Stored, layout};
use crate::shape::{
    AnyShape, Arrangement, Dims, EinsumOne, EinsumPair, EinsumThree, Loops, Rank, Shape, Split,
    TensorDot, TensorOf,
};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};
use std::borrow::Borrow;

compiled! {
    /// Sums over named axes.
    trait Einsum {
        fn einsum_one(x: &Raw<E>, plan: &'static EinsumOne, dims: Dims) -> Raw<E> => by_example;
        fn einsum_pair(a: &Raw<E>, b: &Raw<E>, plan: &'static EinsumPair, dims: Dims) -> Raw<E> => by_example;
    }
}

/// The values in the order of the loops; as they are, if that is their order.
fn arranged<E: Element>(values: &Buffer<E>, loops: &Loops) -> Buffer<E> {
    let numel = loops.get().iter().map(|l| l.0).product::<usize>();
    if loops.in_order() && numel == values.len() {
        values.clone()
    } else {
        layout::arrange(values, loops.get().iter().copied())
    }
}

fn forward<E: Element>(values: &Buffer<E>, plan: &Arrangement) -> Buffer<E> {
    let values = arranged(values, &plan.forward);
    if plan.summed == 1 {
        return values;
    }
    let split = Split {
        outer: plan.kept,
        len: plan.summed,
        inner: 1,
    };
    kernel::sum_axis(&values, split)
}

/// The gradient of an operand, from that of its arrangement.
fn backward<E: Element>(grad: &Buffer<E>, plan: &Arrangement) -> Buffer<E> {
    let grad = arranged(grad, &plan.back);
    match &plan.diagonal {
        None => grad,
        Some(diagonal) => layout::scatter(&grad, diagonal.get(), plan.numel),
    }
}

struct SumRule {
    plan: &'static EinsumOne,
}

impl<E: Element> Rule<E> for SumRule {
    fn name(&self) -> &'static str {
        "einsum"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        to.give(0, backward(&grad, &self.plan.operand));
    }
    fn saved(&self, _: &mut dyn FnMut(&'static str, Saved<'_, E>)) {}
}

fn einsum_one<E: Element>(x: &Raw<E>, plan: &'static EinsumOne, dims: Dims) -> Raw<E> {
    Raw {
        values: forward(&x.values, &plan.operand),
        node: parents([x.node.as_ref()]).map(|parents| parents.record(dims, SumRule { plan })),
    }
}

struct ProductRule<E: Element> {
    plan: &'static EinsumPair,
    /// Arranged as matrices, if the right operand's gradient is wanted.
    lhs: Option<Buffer<E>>,
    /// Arranged as matrices, if the left operand's gradient is wanted.
    rhs: Option<Buffer<E>>,
}

fn layouts(plan: &EinsumPair) -> Layouts {
    let stored = |transposed| {
        if transposed {
            Stored::Transposed
        } else {
            Stored::Plain
        }
    };
    Layouts {
        lhs: stored(plan.lhs_transposed),
        rhs: stored(plan.rhs_transposed),
    }
}

impl<E: Element> Rule<E> for ProductRule<E> {
    fn name(&self) -> &'static str {
        "einsum"
    }
    fn backward(&self, grad: Buffer<E>, to: &mut Cotangents<'_, E>) {
        let (plan, layouts) = (self.plan, layouts(self.plan));
        let grad = arranged(&grad, &plan.back);
        if let Some(rhs) = &self.rhs {
            let lhs = kernel::matmul_lhs_grad(&plan.product, &grad, rhs, layouts);
            to.give(0, backward(&lhs, &plan.lhs));
        }
        if let Some(lhs) = &self.lhs {
            let rhs = kernel::matmul_rhs_grad(&plan.product, lhs, &grad, layouts);
            to.give(1, backward(&rhs, &plan.rhs));
        }
    }
    fn saved(&self, visit: &mut dyn FnMut(&'static str, Saved<'_, E>)) {
        if let Some(lhs) = &self.lhs {
            visit("lhs", Saved::Values(lhs));
        }
        if let Some(rhs) = &self.rhs {
            visit("rhs", Saved::Values(rhs));
        }
    }
}

fn einsum_pair<E: Element>(
    a: &Raw<E>,
    b: &Raw<E>,
    plan: &'static EinsumPair,
    dims: Dims,
) -> Raw<E> {
    let lhs = forward(&a.values, &plan.lhs);
    let rhs = forward(&b.values, &plan.rhs);
    let product = kernel::matmul(&plan.product, &lhs, &rhs, layouts(plan));
    Raw {
        values: arranged(&product, &plan.forward),
        node: parents([a.node.as_ref(), b.node.as_ref()]).map(|parents| {
            let lhs = parents.wanted(1).then_some(lhs);
            let rhs = parents.wanted(0).then_some(rhs);
            parents.record(dims, ProductRule { plan, lhs, rhs })
        }),
    }
}

/// A tensor of any shape.
pub trait Untyped<E: Element> {
    /// Its values and its node.
    #[doc(hidden)]
    fn untyped(&self) -> &Raw<E>;
}

impl<const R: usize, S: AnyShape<Rank = Rank<R>>, E: Element> Untyped<E> for Tensor<R, S, E> {
    fn untyped(&self) -> &Raw<E> {
        &self.raw
    }
}

/// What `einsum!` calls with one operand.
pub fn sum<O: AnyShape, E: Element>(
    x: &impl Untyped<E>,
    plan: &'static EinsumOne,
) -> TensorOf<O, E> {
    wrap::<O, E>(<E::Ops as Einsum<E>>::einsum_one(
        x.untyped(),
        plan,
        O::DIMS,
    ))
}

/// What `einsum!` calls with two operands.
pub fn product<O: AnyShape, E: Element>(
    x: &impl Untyped<E>,
    y: &impl Untyped<E>,
    plan: &'static EinsumPair,
) -> TensorOf<O, E> {
    wrap::<O, E>(<E::Ops as Einsum<E>>::einsum_pair(
        x.untyped(),
        y.untyped(),
        plan,
        O::DIMS,
    ))
}

/// What `einsum!` calls with three operands.
pub fn product_of_three<O: AnyShape, E: Element>(
    x: &impl Untyped<E>,
    y: &impl Untyped<E>,
    z: &impl Untyped<E>,
    plan: &'static EinsumThree,
) -> TensorOf<O, E> {
    let first = <E::Ops as Einsum<E>>::einsum_pair(
        x.untyped(),
        y.untyped(),
        &plan.first,
        plan.first.dims(),
    );
    wrap::<O, E>(<E::Ops as Einsum<E>>::einsum_pair(
        &first,
        z.untyped(),
        &plan.second,
        O::DIMS,
    ))
}

/// Products of tensors that are summed along an axis of each.
///
/// The prelude has this trait. Its parameters are inferred from the tensors, so that a call names the axes alone:
/// `x.tensordot::<1, 0>(&y)`.
pub trait Tensordot<const R: usize, S: Shape<R>, E: Element, const Q: usize, T: Shape<Q>>:
    Borrow<Tensor<R, S, E>>
{
    /// The sum of products along axis `I` of this tensor and axis `J` of another, for all combinations of
    /// their other axes. PyTorch: `tensordot`.
    ///
    /// The result has the other axes of `self`, then those of `other`. [`einsum!`](crate::einsum) sums over
    /// several axes and orders the result. Gradients by the same sums with g in place of one operand.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::<3, shape![2, 3, 4]>::ones();
    /// let y = Tensor::<2, shape![5, 3]>::ones();
    /// let z: Tensor<3, shape![2, 4, 5]> = x.tensordot::<1, 1>(&y);
    /// assert_eq!(z[[1, 3, 4]], 3.0);
    /// ```
    fn tensordot<const I: usize, const J: usize>(
        &self,
        other: &Tensor<Q, T, E>,
    ) -> TensorOf<S::Contracted, E>
    where
        S: TensorDot<I, J, T>,
    {
        let x: &Tensor<R, S, E> = self.borrow();
        product::<S::Contracted, E>(x, other, S::PAIR)
    }
}

impl<const R: usize, S: Shape<R>, E: Element, const Q: usize, T: Shape<Q>> Tensordot<R, S, E, Q, T>
    for Tensor<R, S, E>
{
}

/// A sum of products over named axes. PyTorch: `einsum`.
///
/// The labels are declared as generics are; each operand and the result list theirs, then come the
/// operands, one to three:
///
/// ```
/// # use shapeproof::prelude::*;
/// let x = Tensor::<3, shape![2, 3, 4]>::ones();
/// let y = Tensor::<3, shape![2, 4, 5]>::ones();
/// // Products of matrices, batch by batch.
/// let z = einsum!(<b, i, j, k> (b, i, j), (b, j, k) -> (b, i, k); x, y);
/// assert_eq!(z.to_array(), [[[4.0; 5]; 3]; 2]);
///
/// // The transpose, the sum of rows, the diagonal, the trace.
/// let a = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(einsum!(<i, j> (i, j) -> (j, i); a).to_array(), [[1.0, 3.0], [2.0, 4.0]]);
/// assert_eq!(einsum!(<i, j> (i, j) -> (i); a).to_array(), [3.0, 7.0]);
/// assert_eq!(einsum!(<i> (i, i) -> (i); a).to_array(), [1.0, 4.0]);
/// assert_eq!(einsum!(<i> (i, i) -> (); a).item(), 5.0);
///
/// // xᵀ·A·y
/// let (x, y) = (Tensor::from([1.0, 10.0]), Tensor::from([1.0, 100.0]));
/// assert_eq!(einsum!(<i, j> (i), (i, j), (j) -> (); x, a, y).item(), 4231.0);
/// ```
///
/// A label that the result lacks is summed over; one that two operands share is the same axis in both; one
/// that an operand has twice takes its diagonal. Operands are tensors or references to them; their axes do
/// not stretch, `One` is a size like others.
///
/// A label with two sizes does not compile, nor does a label of the result that no operand has:
///
/// ```compile_fail,E0308
/// # use shapeproof::prelude::*;
/// let (x, y) = (Tensor::<2, shape![2, 3]>::ones(), Tensor::<2, shape![4, 5]>::ones());
/// let z = einsum!(<i, j, k> (i, j), (j, k) -> (i, k); x, y); // expected `3`, found `4`
/// ```
///
/// Each pair of operands becomes one batched matrix product; an operand that already lies as matrices, or
/// as their transposes, is not copied. Three operands are multiplied from left to right. The gradients are
/// the products with g in place of one operand, placed back along the same labels.
#[macro_export]
macro_rules! einsum {
    // What PyTorch and NumPy take.
    ($subscripts:literal $($rest:tt)*) => {
        ::core::compile_error!(
            "`einsum!` takes labels that rustc checks, not a string: `einsum!(<i, j, k> (i, j), (j, k) -> (i, k); x, y)` \
             is a product of matrices"
        )
    };
    (<$($label:ident),* $(,)?> ($($a:ident),* $(,)?) -> ($($out:ident),* $(,)?); $x:expr $(,)?) => {{
        const _: () = $crate::shape::check_einsum(
            &[&[$(::core::stringify!($a)),*]],
            &[$(::core::stringify!($out)),*],
        );
        #[allow(non_camel_case_types)]
        fn einsum<$($label: $crate::Axis,)* __Element: $crate::element::Element>(
            x: &$crate::TensorOf<($($a,)*), __Element>,
        ) -> $crate::TensorOf<($($out,)*), __Element> {
            $crate::macros::sum::<($($out,)*), __Element>(x, const {
                &$crate::shape::EinsumOne::new(
                    $crate::einsum!(@labels $($a)*),
                    &[$(::core::stringify!($out)),*],
                )
            })
        }
        einsum(&$x)
    }};
    (<$($label:ident),* $(,)?> ($($a:ident),* $(,)?), ($($b:ident),* $(,)?) -> ($($out:ident),* $(,)?);
     $x:expr, $y:expr $(,)?) => {{
        const _: () = $crate::shape::check_einsum(
            &[&[$(::core::stringify!($a)),*], &[$(::core::stringify!($b)),*]],
            &[$(::core::stringify!($out)),*],
        );
        #[allow(non_camel_case_types)]
        fn einsum<$($label: $crate::Axis,)* __Element: $crate::element::Element>(
            x: &$crate::TensorOf<($($a,)*), __Element>,
            y: &$crate::TensorOf<($($b,)*), __Element>,
        ) -> $crate::TensorOf<($($out,)*), __Element> {
            $crate::macros::product::<($($out,)*), __Element>(x, y, const {
                &$crate::shape::EinsumPair::new(
                    $crate::einsum!(@labels $($a)*),
                    $crate::einsum!(@labels $($b)*),
                    &[$(::core::stringify!($out)),*],
                )
            })
        }
        einsum(&$x, &$y)
    }};
    (<$($label:ident),* $(,)?> ($($a:ident),* $(,)?), ($($b:ident),* $(,)?), ($($c:ident),* $(,)?)
     -> ($($out:ident),* $(,)?); $x:expr, $y:expr, $z:expr $(,)?) => {{
        const _: () = $crate::shape::check_einsum(
            &[
                &[$(::core::stringify!($a)),*],
                &[$(::core::stringify!($b)),*],
                &[$(::core::stringify!($c)),*],
            ],
            &[$(::core::stringify!($out)),*],
        );
        #[allow(non_camel_case_types)]
        fn einsum<$($label: $crate::Axis,)* __Element: $crate::element::Element>(
            x: &$crate::TensorOf<($($a,)*), __Element>,
            y: &$crate::TensorOf<($($b,)*), __Element>,
            z: &$crate::TensorOf<($($c,)*), __Element>,
        ) -> $crate::TensorOf<($($out,)*), __Element> {
            $crate::macros::product_of_three::<($($out,)*), __Element>(x, y, z, const {
                &$crate::shape::EinsumThree::new(
                    $crate::einsum!(@labels $($a)*),
                    $crate::einsum!(@labels $($b)*),
                    $crate::einsum!(@labels $($c)*),
                    &[$(::core::stringify!($out)),*],
                )
            })
        }
        einsum(&$x, &$y, &$z)
    }};
    (@labels $($a:ident)*) => {
        $crate::shape::Labels::new(
            &[$(::core::stringify!($a)),*],
            <($($a,)*) as $crate::AnyShape>::DIMS,
        )
    };
}
