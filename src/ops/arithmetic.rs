//! The four operations of arithmetic, negation, and the elementwise larger and smaller of two tensors.
//!
//! The operators `+ - * /` that users write are in `operators`.

use super::Operand;
use super::binary::{Binary, Uses, binary, binary_in_lanes};
use super::blend::Prelu;
use super::compiled::compiled;
use super::power::{Pow, powf, powi};
use super::rounding::{Fmod, Remainder};
use super::special::LogAddExp;
use super::trigonometry::{Atan2, Hypot};
use super::unary::{Saves, Unary, unary, unary_ops};
use crate::element::Element;
use crate::kernel;
use crate::shape::{Broadcast, Dims, Plan, Shape, TensorOf};
use crate::storage::Buffer;
use crate::tensor::{Raw, Tensor, wrap};

/// `a + b`; both derivatives are 1.
struct Add;
impl<E: Element> Binary<E> for Add {
    const NAME: &'static str = "add";
    const LHS: Uses = Uses::PASSES;
    const RHS: Uses = Uses::PASSES;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        a + b
    }
    fn lhs(g: E, _: E, _: E) -> E {
        g
    }
    fn rhs(g: E, _: E, _: E) -> E {
        g
    }
}

/// `a − b`; derivatives 1 and −1.
struct Sub;
impl<E: Element> Binary<E> for Sub {
    const NAME: &'static str = "sub";
    const LHS: Uses = Uses::PASSES;
    const RHS: Uses = Uses::NEITHER;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        a - b
    }
    fn lhs(g: E, _: E, _: E) -> E {
        g
    }
    #[inline(always)]
    fn rhs(g: E, _: E, _: E) -> E {
        -g
    }
}

/// `a·b`; derivatives b and a.
struct Mul;
impl<E: Element> Binary<E> for Mul {
    const NAME: &'static str = "mul";
    const LHS: Uses = Uses::RIGHT;
    const RHS: Uses = Uses::LEFT;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        a * b
    }
    #[inline(always)]
    fn lhs(g: E, _: E, b: E) -> E {
        g * b
    }
    #[inline(always)]
    fn rhs(g: E, a: E, _: E) -> E {
        g * a
    }
}

/// `a/b`; derivatives 1/b and −a/b².
struct Div;
impl<E: Element> Binary<E> for Div {
    const NAME: &'static str = "div";
    const LHS: Uses = Uses::RIGHT;
    const RHS: Uses = Uses::BOTH;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        a / b
    }
    #[inline(always)]
    fn lhs(g: E, _: E, b: E) -> E {
        g / b
    }
    #[inline(always)]
    fn rhs(g: E, a: E, b: E) -> E {
        // Divided twice: b² would underflow or overflow long before the quotient does.
        -(g / b) * (a / b)
    }
}

/// The share of a tie that each of two equal operands gets: the minimum-norm subgradient.
fn share<E: Element>(g: E, wins: bool, loses: bool) -> E {
    if wins {
        g
    } else if loses {
        E::zero()
    } else {
        g * E::of(0.5)
    }
}

struct Maximum;
impl<E: Element> Binary<E> for Maximum {
    const NAME: &'static str = "maximum";
    const LHS: Uses = Uses::BOTH;
    const RHS: Uses = Uses::BOTH;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        if a > b || a.is_nan() {
            a
        } else if a == b {
            b.tied(a)
        } else {
            b
        }
    }
    #[inline(always)]
    fn lhs(g: E, a: E, b: E) -> E {
        share(g, a > b, a < b)
    }
    #[inline(always)]
    fn rhs(g: E, a: E, b: E) -> E {
        share(g, b > a, b < a)
    }
}

struct Minimum;
impl<E: Element> Binary<E> for Minimum {
    const NAME: &'static str = "minimum";
    const LHS: Uses = Uses::BOTH;
    const RHS: Uses = Uses::BOTH;
    #[inline(always)]
    fn forward(a: E, b: E) -> E {
        if a < b || a.is_nan() {
            a
        } else if a == b {
            b.tied(a)
        } else {
            b
        }
    }
    #[inline(always)]
    fn lhs(g: E, a: E, b: E) -> E {
        share(g, a < b, a > b)
    }
    #[inline(always)]
    fn rhs(g: E, a: E, b: E) -> E {
        share(g, b < a, b > a)
    }
}

impl<const R: usize, A: Shape<R>, E: Element> Tensor<R, A, E> {
    /// The larger of each pair of elements, with broadcasting. PyTorch: `maximum`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. The gradient goes to the larger one; at a tie each
    /// gets half. NaN wins over any number, and then each gets half too.
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([[1.0f32, 5.0], [3.0, 2.0]]);
    /// assert_eq!(x.maximum(&Tensor::from([2.0, 4.0])).to_array(), [[2.0, 5.0], [3.0, 4.0]]);
    /// ```
    pub fn maximum<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, other, <E::Ops as Arithmetic<E>>::maximum)
    }

    /// The smaller of each pair of elements, with broadcasting. PyTorch: `minimum`.
    ///
    /// Shapes `A` and `B` to their broadcast shape. Ties and NaN are treated as by
    /// [`maximum`](Self::maximum).
    ///
    /// ```
    /// # use shapeproof::prelude::*;
    /// let x = Tensor::from([1.0f32, 5.0]);
    /// assert_eq!(x.minimum(&Tensor::scalar(2.0)).to_array(), [1.0, 2.0]);
    /// ```
    pub fn minimum<const Q: usize, B: Shape<Q>>(
        &self,
        other: &Tensor<Q, B, E>,
    ) -> TensorOf<<A as Broadcast<B>>::Output, E>
    where
        A: Broadcast<B>,
    {
        pairwise(self, other, <E::Ops as Arithmetic<E>>::minimum)
    }
}

/// An untyped operation on two tensors.
type Pairwise<E> = fn(Operand<'_, E>, Operand<'_, E>, &'static Plan) -> Raw<E>;

/// A binary operation on two lent tensors.
pub(super) fn pairwise<const R: usize, const Q: usize, A, B, E>(
    a: &Tensor<R, A, E>,
    b: &Tensor<Q, B, E>,
    operation: Pairwise<E>,
) -> TensorOf<<A as Broadcast<B>>::Output, E>
where
    A: Shape<R> + Broadcast<B>,
    B: Shape<Q>,
    E: Element,
{
    wrap::<<A as Broadcast<B>>::Output, E>(operation(
        Operand::Shared(&a.raw),
        Operand::Shared(&b.raw),
        <A as Broadcast<B>>::PLAN,
    ))
}

compiled! {
    /// What operators and elementwise methods on two tensors call.
    trait Arithmetic {
        fn add(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn sub(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn mul(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn div(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn maximum(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn minimum(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn pow(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn prelu(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn atan2(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn hypot(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn logaddexp(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn fmod(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn remainder(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> => planned;
        fn add_number(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn sub_number(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn number_sub(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn mul_number(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn div_number(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn number_div(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E>;
        fn powi(x: Operand<'_, E>, dims: Dims, n: i32) -> Raw<E>;
        fn powf(x: Operand<'_, E>, dims: Dims, p: E) -> Raw<E>;
        fn neg(x: Operand<'_, E>, dims: Dims) -> Raw<E>;
    }
}

macro_rules! on_two_tensors {
    ($binary:ident: $($name:ident: $Op:ty;)*) => {$(
        fn $name<E: Element>(a: Operand<'_, E>, b: Operand<'_, E>, plan: &'static Plan) -> Raw<E> {
            $binary::<E, $Op>(a, b, plan)
        }
    )*};
}
on_two_tensors! { binary:
    add: Add;
    sub: Sub;
    mul: Mul;
    div: Div;
    maximum: Maximum;
    minimum: Minimum;
    prelu: Prelu;
    atan2: Atan2;
    fmod: Fmod;
    remainder: Remainder;
}
on_two_tensors! { binary_in_lanes:
    pow: Pow;
    hypot: Hypot;
    logaddexp: LogAddExp;
}

/// Operations with a number on one side.
macro_rules! with_number {
    ($($(#[$doc:meta])* $name:ident $Op:ident saves $saves:ident:
        |$x:ident, $c:ident| $forward:expr, |$g:ident, $s:pat_param| $backward:expr;)*) => {$(
        $(#[$doc])*
        struct $Op;
        impl<E: Element> Unary<E> for $Op {
            type Params = (E,);
            const NAME: &'static str = stringify!($name);
            const SAVES: Saves = Saves::$saves;
            fn forward(($c,): (E,), x: kernel::Source<'_, E>) -> Buffer<E> {
                kernel::map(x, &|$x: E| $forward)
            }
            #[allow(unused_variables)] // the derivative may do without the number
            fn backward(($c,): (E,), grad: Buffer<E>, saved: &[E]) -> Buffer<E> {
                let f = move |$g: E, $s: E| $backward;
                unary_ops! { @backward $saves E grad, saved, f }
            }
            fn numbers((number,): (E,), visit: &mut dyn FnMut(&'static str, f64)) {
                visit("number", number.to_f64().unwrap_or(f64::NAN));
            }
        }

        pub(super) fn $name<E: Element>(x: Operand<'_, E>, dims: Dims, number: E) -> Raw<E> {
            unary::<E, $Op>(x, dims, (number,))
        }
    )*};
}

with_number! {
    /// `x + c`
    add_number AddNumber saves Nothing: |x, c| x + c, |g, _| g;
    /// `x − c`
    sub_number SubNumber saves Nothing: |x, c| x - c, |g, _| g;
    /// `c − x`
    number_sub NumberSub saves Nothing: |x, c| c - x, |g, _| -g;
    /// `x·c`
    mul_number MulNumber saves Nothing: |x, c| x * c, |g, _| g * c;
    /// `x/c`
    div_number DivNumber saves Nothing: |x, c| x / c, |g, _| g / c;
    /// `c/x`; derivative −c/x²
    number_div NumberDiv saves Input: |x, c| c / x, |g, x| -(g / x) * (c / x);
}

/// `−x`
struct Neg;
impl<E: Element> Unary<E> for Neg {
    type Params = ();
    const NAME: &'static str = "neg";
    const SAVES: Saves = Saves::Nothing;
    fn forward((): (), x: kernel::Source<'_, E>) -> Buffer<E> {
        kernel::map(x, &|x: E| -x)
    }
    fn backward((): (), grad: Buffer<E>, _: &[E]) -> Buffer<E> {
        kernel::map_owned(grad, &|g: E| -g)
    }
}

fn neg<E: Element>(x: Operand<'_, E>, dims: Dims) -> Raw<E> {
    unary::<E, Neg>(x, dims, ())
}
