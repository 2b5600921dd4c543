//! `+ - * /` between tensors, parameters and numbers, each by value or by reference.
//!
//! An operand given by value lends its memory to the result where nobody else holds it.

use super::Operand;
use super::arithmetic::Arithmetic;
use crate::element::Element;
use crate::shape::{Broadcast, BroadcastTo, Plan, Shape, TensorOf};
use crate::tensor::{Param, Tensor, wrap};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// How each kind of operand is handed over.
macro_rules! operand {
    (owned $x:expr) => {
        Operand::Owned(&mut { $x }.raw)
    };
    (lent $x:expr) => {
        Operand::Shared(&$x.raw)
    };
}

/// One operator for every pair of tensor, reference and parameter.
macro_rules! tensor_operator {
    ($Op:ident $op:ident $function:ident) => {
        tensor_operator! { @lhs $Op $op $function, owned Tensor<RA, A, E> }
        tensor_operator! { @lhs $Op $op $function, lent &Tensor<RA, A, E> }
        tensor_operator! { @lhs $Op $op $function, lent &Param<RA, A, E> }
    };
    (@lhs $Op:ident $op:ident $function:ident, $l:ident $Lhs:ty) => {
        tensor_operator! { @pair $Op $op $function, $l $Lhs, owned Tensor<RB, B, E> }
        tensor_operator! { @pair $Op $op $function, $l $Lhs, lent &Tensor<RB, B, E> }
        tensor_operator! { @pair $Op $op $function, $l $Lhs, lent &Param<RB, B, E> }
    };
    (@pair $Op:ident $op:ident $function:ident, $l:ident $Lhs:ty, $r:ident $Rhs:ty) => {
        impl<const RA: usize, const RB: usize, A, B, E> $Op<$Rhs> for $Lhs
        where
            A: Shape<RA> + Broadcast<B>,
            B: Shape<RB>,
            E: Element,
        {
            type Output = TensorOf<<A as Broadcast<B>>::Output, E>;
            fn $op(self, rhs: $Rhs) -> Self::Output {
                wrap::<<A as Broadcast<B>>::Output, E>(<E::Ops as Arithmetic<E>>::$function(
                    operand!($l self),
                    operand!($r rhs),
                    <A as Broadcast<B>>::PLAN,
                ))
            }
        }
    };
}
tensor_operator! { Add add add }
tensor_operator! { Sub sub sub }
tensor_operator! { Mul mul mul }
tensor_operator! { Div div div }

/// One operator with a number on either side. The left side needs the number's type spelt out: foreign
/// types take no generic impl.
macro_rules! number_operator {
    ($Op:ident $op:ident $right:ident, $left:ident) => {
        number_operator! { @tensor $Op $op ($right) ($left) owned Tensor<R, S, E>, Tensor<R, S, f32>, Tensor<R, S, f64> }
        number_operator! { @tensor $Op $op ($right) ($left) lent &Tensor<R, S, E>, &Tensor<R, S, f32>, &Tensor<R, S, f64> }
        number_operator! { @tensor $Op $op ($right) ($left) lent &Param<R, S, E>, &Param<R, S, f32>, &Param<R, S, f64> }
    };
    (@tensor $Op:ident $op:ident ($right:ident) ($left:ident) $x:ident $Any:ty, $Single:ty, $Double:ty) => {
        impl<const R: usize, S: Shape<R>, E: Element> $Op<E> for $Any {
            type Output = Tensor<R, S, E>;
            fn $op(self, number: E) -> Tensor<R, S, E> {
                Tensor::from_raw(<E::Ops as Arithmetic<E>>::$right(operand!($x self), S::DIMS, number))
            }
        }
        number_operator! { @left $Op $op ($left) $x f32, $Single }
        number_operator! { @left $Op $op ($left) $x f64, $Double }
    };
    (@left $Op:ident $op:ident ($left:ident) $x:ident $Number:ty, $Tensor:ty) => {
        impl<const R: usize, S: Shape<R>> $Op<$Tensor> for $Number {
            type Output = Tensor<R, S, $Number>;
            fn $op(self, tensor: $Tensor) -> Tensor<R, S, $Number> {
                Tensor::from_raw(<<$Number as Element>::Ops as Arithmetic<$Number>>::$left(operand!($x tensor), S::DIMS, self))
            }
        }
    };
}
number_operator! { Add add add_number, add_number }
number_operator! { Sub sub sub_number, number_sub }
number_operator! { Mul mul mul_number, mul_number }
number_operator! { Div div div_number, number_div }

/// The sum of tensors of one shape, such as a list of losses; zeros if there are none.
///
/// ```
/// # use shapeproof::prelude::*;
/// let w = Param::<1, shape![2]>::ones();
/// let losses = [1.0f32, 2.0, 3.0].map(|x| (&w * x).square().sum());
/// let total: Tensor<0, ()> = losses.iter().sum();
/// assert_eq!(total.item(), 28.0);
/// total.backward();
/// assert_eq!(w.grad().unwrap().to_array(), [28.0, 28.0]);
/// ```
impl<const R: usize, S: Shape<R>, E: Element> Sum for Tensor<R, S, E> {
    fn sum<I: Iterator<Item = Self>>(tensors: I) -> Self {
        tensors
            .reduce(|sum, x| sum + x)
            .unwrap_or_else(Tensor::zeros)
    }
}

impl<'a, const R: usize, S: Shape<R>, E: Element> Sum<&'a Tensor<R, S, E>> for Tensor<R, S, E> {
    fn sum<I: Iterator<Item = &'a Tensor<R, S, E>>>(tensors: I) -> Self {
        tensors.cloned().sum()
    }
}

/// Compound assignment: the right side may be anything that stretches to the left side's shape.
///
/// A parameter stays the leaf it was: nothing is recorded.
macro_rules! assign_operator {
    ($Op:ident $op:ident $function:ident, $number:ident) => {
        assign_operator! { @tensor $Op $op $function, owned Tensor<RB, B, E> }
        assign_operator! { @tensor $Op $op $function, lent &Tensor<RB, B, E> }
        assign_operator! { @tensor $Op $op $function, lent &Param<RB, B, E> }

        impl<const R: usize, S: Shape<R>, E: Element> $Op<E> for Tensor<R, S, E> {
            fn $op(&mut self, number: E) {
                self.raw = <E::Ops as Arithmetic<E>>::$number(Operand::Owned(&mut self.raw), S::DIMS, number);
            }
        }

        impl<const R: usize, S: Shape<R>, E: Element> $Op<E> for Param<R, S, E> {
            fn $op(&mut self, number: E) {
                self.edit(|value| value.$op(number));
            }
        }
    };
    (@tensor $Op:ident $op:ident $function:ident, $r:ident $Rhs:ty) => {
        impl<const RA: usize, const RB: usize, A, B, E> $Op<$Rhs> for Tensor<RA, A, E>
        where
            A: Shape<RA>,
            B: Shape<RB> + BroadcastTo<A>,
            E: Element,
        {
            fn $op(&mut self, rhs: $Rhs) {
                let plan: &'static Plan = const { &<B as BroadcastTo<A>>::PLAN.mirrored() };
                let lhs = Operand::Owned(&mut self.raw);
                self.raw = <E::Ops as Arithmetic<E>>::$function(lhs, operand!($r rhs), plan);
            }
        }

        impl<const RA: usize, const RB: usize, A, B, E> $Op<$Rhs> for Param<RA, A, E>
        where
            A: Shape<RA>,
            B: Shape<RB> + BroadcastTo<A>,
            E: Element,
        {
            fn $op(&mut self, rhs: $Rhs) {
                self.edit(|value| value.$op(rhs));
            }
        }
    };
}
assign_operator! { AddAssign add_assign add, add_number }
assign_operator! { SubAssign sub_assign sub, sub_number }
assign_operator! { MulAssign mul_assign mul, mul_number }
assign_operator! { DivAssign div_assign div, div_number }

macro_rules! negation {
    ($($x:ident $Tensor:ty;)*) => {$(
        impl<const R: usize, S: Shape<R>, E: Element> Neg for $Tensor {
            type Output = Tensor<R, S, E>;
            fn neg(self) -> Tensor<R, S, E> {
                Tensor::from_raw(<E::Ops as Arithmetic<E>>::neg(operand!($x self), S::DIMS))
            }
        }
    )*};
}
negation! {
    owned Tensor<R, S, E>;
    lent &Tensor<R, S, E>;
    lent &Param<R, S, E>;
}
