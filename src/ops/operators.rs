//! `+ - * /` between tensors, parameters and numbers, each by value or by reference.
//!
//! An operand given by value lends its memory to the result where nobody else holds it.

use super::Operand;
use super::arithmetic::{
    Add as AddOp, AddNumber, Div as DivOp, DivNumber, Mul as MulOp, MulNumber, Neg as NegOp,
    NumberDiv, NumberSub, Sub as SubOp, SubNumber,
};
use super::binary::binary;
use super::unary::unary;
use crate::element::Element;
use crate::shape::{AnyShape, Broadcast, BroadcastTo, Shape, TensorOf};
use crate::tensor::{Param, Raw, Tensor, wrap};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// How each kind of operand is handed over.
macro_rules! operand {
    (owned $x:expr) => {
        Operand::Owned($x.raw)
    };
    (lent $x:expr) => {
        Operand::Shared(&$x.raw)
    };
}

/// One operator for every pair of tensor, reference and parameter.
macro_rules! tensor_operator {
    ($Op:ident $op:ident $Rule:ty) => {
        tensor_operator! { @lhs $Op $op $Rule, owned Tensor<RA, A, E> }
        tensor_operator! { @lhs $Op $op $Rule, lent &Tensor<RA, A, E> }
        tensor_operator! { @lhs $Op $op $Rule, lent &Param<RA, A, E> }
    };
    (@lhs $Op:ident $op:ident $Rule:ty, $l:ident $Lhs:ty) => {
        tensor_operator! { @pair $Op $op $Rule, $l $Lhs, owned Tensor<RB, B, E> }
        tensor_operator! { @pair $Op $op $Rule, $l $Lhs, lent &Tensor<RB, B, E> }
        tensor_operator! { @pair $Op $op $Rule, $l $Lhs, lent &Param<RB, B, E> }
    };
    (@pair $Op:ident $op:ident $Rule:ty, $l:ident $Lhs:ty, $r:ident $Rhs:ty) => {
        impl<const RA: usize, const RB: usize, A, B, E> $Op<$Rhs> for $Lhs
        where
            A: Shape<RA> + Broadcast<B>,
            B: Shape<RB>,
            E: Element,
        {
            type Output = TensorOf<<A as Broadcast<B>>::Output, E>;
            fn $op(self, rhs: $Rhs) -> Self::Output {
                wrap::<<A as Broadcast<B>>::Output, E>(binary::<E, $Rule>(
                    operand!($l self),
                    operand!($r rhs),
                    <A as Broadcast<B>>::PLAN,
                    <<A as Broadcast<B>>::Output as AnyShape>::DIMS,
                ))
            }
        }
    };
}
tensor_operator! { Add add AddOp }
tensor_operator! { Sub sub SubOp }
tensor_operator! { Mul mul MulOp }
tensor_operator! { Div div DivOp }

/// One operator with a number on either side. The left side needs the number's type spelt out: foreign
/// types take no generic impl.
macro_rules! number_operator {
    ($Op:ident $op:ident $right:expr, $left:expr) => {
        number_operator! { @tensor $Op $op ($right) ($left) owned Tensor<R, S, E>, Tensor<R, S, f32>, Tensor<R, S, f64> }
        number_operator! { @tensor $Op $op ($right) ($left) lent &Tensor<R, S, E>, &Tensor<R, S, f32>, &Tensor<R, S, f64> }
        number_operator! { @tensor $Op $op ($right) ($left) lent &Param<R, S, E>, &Param<R, S, f32>, &Param<R, S, f64> }
    };
    (@tensor $Op:ident $op:ident ($right:expr) ($left:expr) $x:ident $Any:ty, $Single:ty, $Double:ty) => {
        impl<const R: usize, S: Shape<R>, E: Element> $Op<E> for $Any {
            type Output = Tensor<R, S, E>;
            fn $op(self, number: E) -> Tensor<R, S, E> {
                Tensor::from_raw(unary(operand!($x self), S::DIMS, $right(number)))
            }
        }
        number_operator! { @left $Op $op ($left) $x f32, $Single }
        number_operator! { @left $Op $op ($left) $x f64, $Double }
    };
    (@left $Op:ident $op:ident ($left:expr) $x:ident $Number:ty, $Tensor:ty) => {
        impl<const R: usize, S: Shape<R>> $Op<$Tensor> for $Number {
            type Output = Tensor<R, S, $Number>;
            fn $op(self, tensor: $Tensor) -> Tensor<R, S, $Number> {
                Tensor::from_raw(unary(operand!($x tensor), S::DIMS, $left(self)))
            }
        }
    };
}
number_operator! { Add add AddNumber, AddNumber }
number_operator! { Sub sub SubNumber, NumberSub }
number_operator! { Mul mul MulNumber, MulNumber }
number_operator! { Div div DivNumber, NumberDiv }

/// Compound assignment: the right side may be anything that stretches to the left side's shape.
macro_rules! assign_operator {
    ($Op:ident $op:ident $Rule:ty, $Number:ident) => {
        assign_operator! { @tensor $Op $op $Rule, owned Tensor<RB, B, E> }
        assign_operator! { @tensor $Op $op $Rule, lent &Tensor<RB, B, E> }
        assign_operator! { @tensor $Op $op $Rule, lent &Param<RB, B, E> }

        impl<const R: usize, S: Shape<R>, E: Element> $Op<E> for Tensor<R, S, E> {
            fn $op(&mut self, number: E) {
                self.raw = unary(Operand::Owned(take(self)), S::DIMS, $Number(number));
            }
        }
    };
    (@tensor $Op:ident $op:ident $Rule:ty, $r:ident $Rhs:ty) => {
        impl<const RA: usize, const RB: usize, A, B, E> $Op<$Rhs> for Tensor<RA, A, E>
        where
            A: Shape<RA> + Broadcast<B>,
            B: Shape<RB> + BroadcastTo<A>,
            E: Element,
        {
            fn $op(&mut self, rhs: $Rhs) {
                let lhs = Operand::Owned(take(self));
                self.raw = binary::<E, $Rule>(lhs, operand!($r rhs), <A as Broadcast<B>>::PLAN, A::DIMS);
            }
        }
    };
}
assign_operator! { AddAssign add_assign AddOp, AddNumber }
assign_operator! { SubAssign sub_assign SubOp, SubNumber }
assign_operator! { MulAssign mul_assign MulOp, MulNumber }
assign_operator! { DivAssign div_assign DivOp, DivNumber }

/// The tensor's data, with something small left in its place until the result comes.
fn take<const R: usize, S: Shape<R>, E: Element>(tensor: &mut Tensor<R, S, E>) -> Raw<E> {
    let placeholder = Raw::input(crate::storage::Buffer::dirty(0));
    std::mem::replace(&mut tensor.raw, placeholder)
}

macro_rules! negation {
    ($($x:ident $Tensor:ty;)*) => {$(
        impl<const R: usize, S: Shape<R>, E: Element> Neg for $Tensor {
            type Output = Tensor<R, S, E>;
            fn neg(self) -> Tensor<R, S, E> {
                Tensor::from_raw(unary(operand!($x self), S::DIMS, NegOp))
            }
        }
    )*};
}
negation! {
    owned Tensor<R, S, E>;
    lent &Tensor<R, S, E>;
    lent &Param<R, S, E>;
}
